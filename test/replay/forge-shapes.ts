/** Shapes of landings on a forge: a draft that people merge, one that is closed, one that is asked for, repaired, and continued as new while it is shown. */
import type { WorkflowHandle } from '@temporalio/client';
import type { PullState } from '../../protocol/actors/forge.js';
import type { LandingTerms, LandingView, PullView } from '../../protocol/actors/landing.js';
import type { QuotaGateView } from '../../protocol/actors/quota.js';
import {
  HAND_OVER_SIGNAL,
  LANDING_WORKFLOW,
  landingId,
  quotaGateId,
  runIdOfLanding,
  STATUS_QUERY,
  TASK_QUEUE,
} from '../../protocol/names.js';
import type { Finding } from '../../protocol/run/finding.js';
import { DEFAULT_LANDING, type LandingMode } from '../../protocol/run/landing-policy.js';
import { type Activities, BASE, HEAD, type StubHost, stubBase, stubPull, stubTerms } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { type Shapes, TASK } from './shape.js';

/** A closed run, then what its policy begins unasked. */
async function startUnasked(host: StubHost, workflowId: string): Promise<WorkflowHandle> {
  await (await host.start(TASK, workflowId)).result();
  return host.client.workflow.start(LANDING_WORKFLOW, {
    workflowId: landingId(workflowId),
    taskQueue: TASK_QUEUE,
    args: [{ isUnasked: true }],
  });
}

/** Each look shows the next of these; those after the last show it merged. A forge of its own for each recording, so that its queue is one too. */
function onForge(
  mode: LandingMode,
  looks: readonly Partial<PullState>[],
  more: Partial<LandingTerms> = {},
): Partial<Activities> {
  const left = [...looks];
  const merged = { state: 'merged', mergeCommit: HEAD } as const;
  return {
    findBase: async ({ runId }) => ({
      kind: 'branch',
      branch: 'main',
      head: null,
      terms: stubTerms({
        forge: { repo: `acme-${runId.replace(/-l\d+$/, '')}/shop`, checksTimeoutMs: 3_600_000, reactRounds: 2 },
        landing: { ...DEFAULT_LANDING, mode },
        ...more,
      }),
    }),
    lookAtPull: async () => ({ kind: 'pull', pull: stubPull(left.shift() ?? merged) }),
  };
}

const sees = (handle: WorkflowHandle, at: PullView['at']) =>
  until(async () => (await handle.query<LandingView>(STATUS_QUERY)).pull?.at === at);
const gated = (handle: WorkflowHandle) =>
  until(async () => (await handle.query<LandingView>(STATUS_QUERY)).gate !== null);

export const FORGE_SHAPES: Shapes = {
  'landing-pull-draft-and-merged': {
    activities: onForge('pr', [{ isDraft: true }]),
    start: startUnasked,
    async drive(handle) {
      await sees(handle, 'draft');
      await handle.executeUpdate('look', { args: [{ by: 'ada' }] });
    },
  },
  'landing-pull-closed': {
    activities: onForge('pr', [{ state: 'closed' }]),
    start: startUnasked,
    async drive(handle) {
      await gated(handle);
      await handle.executeUpdate('answer', { args: [{ text: 'skip', by: 'ada' }] });
    },
  },
  'landing-pull-asked': {
    activities: onForge('pr', [{ isDraft: true }, {}]),
    start: startUnasked,
    async drive(handle) {
      await sees(handle, 'draft');
      await handle.executeUpdate('land', { args: [{ by: 'ada' }] });
    },
  },
  'landing-pull-reacted': {
    activities: {
      ...onForge('pr', [{ review: 'changes_requested' }, { isDraft: true }], { canFix: true }),
      readRemarks: async () => ({
        kind: 'remarks',
        remarks: [{ key: 'review 1', by: 'ann', findings: [FINDING] }],
      }),
    },
    start: startUnasked,
    async drive(handle) {
      await sees(handle, 'draft');
      await handle.executeUpdate('look', { args: [{ by: 'ada' }] });
    },
  },
  'landing-pull-limited': {
    activities: limitedOnce(onForge('pr', [])),
    start: startUnasked,
    async drive(handle, { client }) {
      const account = `github/acme-${runIdOfLanding(handle.workflowId)}`;
      const gate = client.workflow.getHandle(quotaGateId(account));
      await until(async () => (await gate.query<QuotaGateView>(STATUS_QUERY).catch(() => null))?.waiting === 1);
      await gate.executeUpdate('open');
    },
  },
  'landing-pull-gate-over': {
    activities: onForge('auto', [{ checks: { state: 'failed', names: ['ci'] } }]),
    start: startUnasked,
    async drive(handle) {
      await gated(handle);
      await handle.executeUpdate('look', { args: [{ by: 'ada' }] });
    },
  },
  'landing-pull-repaired': {
    activities: {
      ...onForge('auto', [{}, {}], { canFix: true }),
      landEntry: conflictOnce(),
    },
    start: startUnasked,
  },
  'landing-pull-continued-as-new': {
    activities: onForge('pr', [{ isDraft: true }]),
    start: startUnasked,
    async drive(handle, { client }) {
      await sees(handle, 'draft');
      const { runId: before } = await handle.describe();
      await handle.signal(HAND_OVER_SIGNAL);
      const next = client.workflow.getHandle(handle.workflowId);
      await until(async () => (await next.describe()).runId !== before);
      await next.signal('look', {});
      return next;
    },
  },
};

const FINDING: Finding = {
  id: 'F-1',
  severity: 'high',
  category: 'correctness',
  claim: 'ann requests changes',
  evidence: ['a.ts:1'],
  recommendation: 'rename it',
};

/** The first look meets a limit. */
function limitedOnce(activities: Partial<Activities>): Partial<Activities> {
  let looks = 0;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  return {
    ...activities,
    lookAtPull: async (input) =>
      ++looks === 1
        ? { kind: 'limited', until, why: 'too many requests' }
        : (activities.lookAtPull ?? (() => Promise.reject(new Error('nothing looks'))))(input),
  };
}

function conflictOnce(): Activities['landEntry'] {
  let entries = 0;
  return async () =>
    ++entries === 1
      ? { base: stubBase(BASE), landed: { kind: 'conflict', on: BASE, why: 'both changed a.txt', files: ['a.txt'] } }
      : { base: stubBase(HEAD), landed: { kind: 'merged', commit: HEAD } };
}

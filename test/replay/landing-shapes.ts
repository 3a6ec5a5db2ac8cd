/** Shapes of landings and merge queues: what lands at once, waits for a person, is repaired, waits for its base, and continues as new. */
import type { WorkflowHandle } from '@temporalio/client';
import type { LandingTerms, LandingView } from '../../protocol/actors/landing.js';
import type { LandEntryResult, MergeQueueView } from '../../protocol/actors/merge-queue.js';
import { mergeQueueId } from '../../protocol/actors/merge-queue.js';
import {
  HAND_OVER_SIGNAL,
  LANDING_WORKFLOW,
  landingId,
  runIdOfLanding,
  STATUS_QUERY,
  TASK_QUEUE,
} from '../../protocol/names.js';
import { type Activities, BASE, HEAD, type StubHost, stubBase, stubCheck, stubTerms } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { type Shape, type Shapes, TASK, withPolicy } from './shape.js';

const LINK = 'e'.repeat(40);

/** A closed run, then its landing. */
async function startLanding(host: StubHost, workflowId: string): Promise<WorkflowHandle> {
  await (await host.start(TASK, workflowId)).result();
  return host.client.workflow.start(LANDING_WORKFLOW, {
    workflowId: landingId(workflowId),
    taskQueue: TASK_QUEUE,
    args: [{}],
  });
}

export const withTerms = (terms: Partial<LandingTerms>): Partial<Activities> => ({
  findBase: async ({ runId }) => ({ kind: 'branch', branch: runId, head: null, terms: stubTerms(terms) }),
});

const LISTED = withTerms({ gates: { ...stubTerms().gates, stages: ['landing'] } });

/** Each answer is that of one attempt; those after the last merge. Made anew for each recording. */
export function withLanded(...answers: LandEntryResult[]): Partial<Activities> {
  const left = [...answers];
  return {
    landEntry: async () => left.shift() ?? { base: stubBase(HEAD), landed: { kind: 'merged', commit: HEAD } },
  };
}

export const conflict = (): LandEntryResult => ({
  base: stubBase(BASE),
  landed: { kind: 'conflict', on: BASE, why: 'both changed a.txt', files: ['a.txt'] },
});
const ready = (): LandEntryResult => ({
  base: stubBase(BASE, { use: 'it is checked out in /repository' }),
  landed: { kind: 'ready', commit: LINK, on: BASE },
});

const gated = (handle: WorkflowHandle) =>
  until(async () => (await handle.query<LandingView>(STATUS_QUERY)).gate !== null);
const isReady = (handle: WorkflowHandle) =>
  until(async () => (await handle.query<LandingView>(STATUS_QUERY)).entry?.state === 'ready');
const queueOf = ({ client }: StubHost, { workflowId }: WorkflowHandle) =>
  client.workflow.getHandle(mergeQueueId({ repoKey: '0123456789abcdef', branch: runIdOfLanding(workflowId) }));

/** Once the landing is over. */
const andTheQueue =
  (drive?: Shape['drive']): NonNullable<Shape['drive']> =>
  async (handle, host) => {
    await drive?.(handle, host);
    await handle.result();
    return queueOf(host, handle);
  };

const leaveBase = (contains: number): Partial<Activities> => ({
  lookAtBase: async () => ({ base: stubBase(LINK, { contains }), watched: [] }),
});

const look = async (handle: WorkflowHandle, host: StubHost) => {
  await isReady(handle);
  await queueOf(host, handle).signal('look', {});
};

export const LANDING_SHAPES: Shapes = {
  'landing-merged': { start: startLanding },
  'landing-approved': {
    activities: LISTED,
    start: startLanding,
    async drive(handle) {
      await gated(handle);
      await handle.executeUpdate('approve', { args: [{ gate: 'gate-1', by: 'ada' }] });
    },
  },
  'landing-rejected': {
    activities: LISTED,
    start: startLanding,
    async drive(handle) {
      await gated(handle);
      await handle.signal('approve', { decision: 'reject', note: 'not this way' });
    },
  },
  'landing-conflict-dropped': {
    activities: withLanded(conflict()),
    start: startLanding,
    async drive(handle) {
      await gated(handle);
      await handle.executeUpdate('abort', { args: [{ by: 'ada', reason: 'the other is better' }] });
    },
  },
  'landing-repaired': {
    activities: { ...withTerms({ canFix: true }), ...withLanded(conflict()) },
    start: startLanding,
  },
  'landing-not-repaired': {
    activities: {
      ...withTerms({ canFix: true }),
      ...withLanded(conflict()),
      planRepair: async () => ({ kind: 'refused', why: 'the branch main is gone' }),
    },
    start: startLanding,
    async drive(handle) {
      await gated(handle);
      await handle.signal('land', { by: 'ada' });
    },
  },
  'landing-changes-requested': {
    activities: { ...LISTED, ...withTerms({ canFix: true, gates: { ...stubTerms().gates, stages: ['landing'] } }) },
    start: startLanding,
    async drive(handle) {
      await gated(handle);
      await handle.signal('approve', { decision: 'request_changes', note: 'say hello' });
      await until(async () => (await handle.query<LandingView>(STATUS_QUERY)).gate?.id === 'gate-2');
      await handle.signal('approve', {});
    },
  },
  'landing-unasked-and-expired': {
    activities: { ...withPolicy({ landing: 'auto' }), ...LISTED },
    async start(host, workflowId) {
      await (await host.start({ ...TASK, attended: false }, workflowId)).result();
      return host.client.workflow.getHandle(landingId(workflowId));
    },
  },
  'landing-ready-and-taken': {
    activities: { ...withLanded(ready()), ...leaveBase(1) },
    start: startLanding,
    drive: look,
  },
  'landing-continued-as-new': {
    activities: LISTED,
    start: startLanding,
    async drive(handle, { client }) {
      await gated(handle);
      const { runId: before } = await handle.describe();
      await handle.signal(HAND_OVER_SIGNAL);
      const next = client.workflow.getHandle(handle.workflowId);
      await until(async () => (await next.describe()).runId !== before);
      await next.executeUpdate('approve', { args: [{ by: 'ada' }] });
      return next;
    },
  },
  'landing-off': { activities: withTerms({ landing: { ...stubTerms().landing, mode: 'off' } }), start: startLanding },
  'merge-queue-merged': { start: startLanding, drive: andTheQueue() },
  'merge-queue-checked': {
    activities: withLanded({ base: stubBase(BASE), landed: { kind: 'check', commit: HEAD, on: BASE } }),
    start: startLanding,
    drive: andTheQueue(),
  },
  'merge-queue-red': {
    activities: {
      ...withLanded({ base: stubBase(BASE), landed: { kind: 'check', commit: HEAD, on: BASE } }),
      checkTree: async () => ({ ...stubCheck(), outcome: 'red', why: 'npm test is red' }),
    },
    start: startLanding,
    drive: andTheQueue(async (handle) => {
      await gated(handle);
      await handle.signal('abort', {});
    }),
  },
  'merge-queue-moved': {
    activities: withLanded({ base: stubBase(BASE), landed: { kind: 'moved' } }),
    start: startLanding,
    drive: andTheQueue(),
  },
  'merge-queue-taken': {
    activities: { ...withLanded(ready()), ...leaveBase(1) },
    start: startLanding,
    drive: andTheQueue(async (handle, host) => {
      await isReady(handle);
      await queueOf(host, handle).executeUpdate('take', { args: [{ by: 'ada' }] });
      await queueOf(host, handle).signal('look', {});
    }),
  },
  'merge-queue-withdrawn': {
    activities: { ...withLanded(ready()), lookAtBase: async () => ({ base: stubBase(BASE), watched: [] }) },
    start: startLanding,
    drive: andTheQueue(async (handle) => {
      await isReady(handle);
      await handle.signal('abort', {});
    }),
  },
  'merge-queue-continued-as-new': {
    activities: { ...withLanded(ready()), ...leaveBase(1) },
    start: startLanding,
    drive: andTheQueue(async (handle, host) => {
      await isReady(handle);
      const { runId: before } = await queueOf(host, handle).describe();
      await queueOf(host, handle).signal(HAND_OVER_SIGNAL);
      await until(async () => (await queueOf(host, handle).describe()).runId !== before);
      await queueOf(host, handle).query<MergeQueueView>(STATUS_QUERY);
      await queueOf(host, handle).signal('look', {});
    }),
  },
};

/** Shapes of runs that wait at a quota gate, and of the gate itself: a probe, a person, an abort, a gate that is lost, a limit that is met again. */
import type { WorkflowHandle } from '@temporalio/client';
import type { QuotaGateView } from '../../protocol/actors/quota.js';
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import { quotaGateId, STATUS_QUERY } from '../../protocol/names.js';
import { untilView } from '../support/run-steps.js';
import { type Activities, type StubHost, stubAgent, stubOpen } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { type Shape, type Shapes, TASK, withTurns } from './shape.js';

const HOUR_MS = 3_600_000;

const limited = (ms: number): Partial<RunTurnResult> => ({
  outcome: { kind: 'usage_limit', why: 'limit', until: new Date(Date.now() + ms).toISOString() },
});

/** The account is the one of the run, so that no recording meets the gate of another. */
const accountOf = (workflowId: string) => `history/${workflowId}`;

const gateOf = (host: StubHost, workflowId: string) =>
  host.client.workflow.getHandle(quotaGateId(accountOf(workflowId)));

/** Each entry is one answer of the planning agent; those after the last go well. */
function provider(...answers: readonly (() => Partial<RunTurnResult>)[]): Partial<Activities> {
  return sharing(null, answers);
}

/** `account`: of all its runs; null: each has its own. */
function sharing(account: string | null, answers: readonly (() => Partial<RunTurnResult>)[]): Partial<Activities> {
  const left = [...answers];
  return {
    openRun: async (input) => {
      const open = stubOpen(input);
      const planning = stubAgent({ account: accountOf(account ?? input.place.runId) });
      return { ...open, policy: { ...open.policy, agentOf: { ...open.policy.agentOf, planning } } };
    },
    ...withTurns((input) => (input.stage === 'planning' ? (left.shift()?.() ?? {}) : {})),
  };
}

async function untilParked(host: StubHost, workflowId: string): Promise<void> {
  const gate = gateOf(host, workflowId);
  await until(async () => {
    const view = await gate.query<QuotaGateView>(STATUS_QUERY).catch(() => null);
    return view?.waiting === 1;
  });
}

/** A run is started, and the history of its gate is the one that is kept. */
const gateShape = (activities: Partial<Activities>, drive?: (gate: WorkflowHandle) => Promise<void>): Shape => ({
  activities,
  async start(host, id) {
    await host.start(TASK, id);
    await untilParked(host, id);
    return gateOf(host, id);
  },
  ...(drive === undefined ? {} : { drive }),
});

export const QUOTA_SHAPES: Shapes = {
  'run-parked-and-probes': { activities: provider(() => limited(1_000)) },
  'run-parked-and-opened': {
    activities: provider(() => limited(HOUR_MS)),
    async drive(handle, host) {
      await untilParked(host, handle.workflowId);
      await gateOf(host, handle.workflowId).signal('open');
    },
  },
  'run-parked-and-refused': {
    activities: provider(
      () => limited(500),
      () => limited(500),
      () => limited(500),
    ),
  },
  'run-parked-and-aborted': {
    activities: provider(() => limited(HOUR_MS)),
    async drive(handle, host) {
      await untilParked(host, handle.workflowId);
      await handle.executeUpdate('abort', { args: [{ by: 'ada' }] });
    },
  },
  'run-parked-at-a-gate-that-is-lost': {
    activities: provider(() => limited(1_500)),
    async drive(handle, host) {
      await untilParked(host, handle.workflowId);
      await gateOf(host, handle.workflowId).terminate('a recording');
    },
  },
  // Another run of the account is the one that probes.
  'run-parked-and-told-again': {
    activities: sharing('history-run-parked-and-told-again', [
      () => limited(HOUR_MS),
      () => limited(1_500),
      () => limited(2 * HOUR_MS),
    ]),
    async start(host, id) {
      await host.start(TASK, `${id}-first`);
      await untilParked(host, id);
      return host.start(TASK, id);
    },
    async drive(handle, host) {
      await untilView(handle, ({ waiting }) => Date.parse(waiting?.until ?? '') > Date.now() + HOUR_MS);
      await gateOf(host, handle.workflowId).signal('open');
    },
  },
  'quota-gate-probed': gateShape(provider(() => limited(1_500))),
  'quota-gate-met-again': gateShape(
    provider(
      () => limited(1_500),
      () => limited(500),
    ),
  ),
  'quota-gate-opened': gateShape(
    provider(() => limited(HOUR_MS)),
    async (gate) => {
      await gate.executeUpdate('open', { args: [{ by: 'ada' }] });
    },
  ),
};

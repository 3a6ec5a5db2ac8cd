/** Shapes of runs with people in them: fix rounds, gates of every kind, pauses, messages, waits, a rewind and a reset. */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { RunPolicy, StageAgent } from '../../protocol/run/policy.js';
import type { Stage, TurnStage } from '../../protocol/run/stages.js';
import { untilStatus, untilView } from '../support/run-steps.js';
import {
  type Activities,
  GATES,
  type StubHost,
  stubAgent,
  stubOpen,
  stubTurn,
  stubValidation,
} from '../support/stub-host.js';
import { until } from '../support/until.js';
import { inStage, type Shape, type Shapes, TASK, withPolicy, withTurns } from './shape.js';

const FINDINGS: ArtifactRef = { sha256: 'f'.repeat(64), bytes: 2, mediaType: 'application/json' };
const NOT_CONTENT: Partial<RunTurnResult> = {
  decision: { kind: 'review', value: 'CHANGES_REQUESTED' },
  findings: FINDINGS,
};
const COMMITTED = {
  timestamp: '2026-01-01T00:00:00.000Z',
  type: 'git.committed',
  message: 'committed',
  data: {},
} as const;

const send = (handle: WorkflowHandle, name: string, argument: unknown = {}) =>
  handle.executeUpdate(name, { args: [argument] });
const atGate = (handle: WorkflowHandle, gate = 'gate-1') =>
  untilView(handle, (view) => view.pendingApprovalId === gate);

/** Decides gate-1, gate-2, … one after the other. */
function deciding(...decisions: readonly unknown[]): NonNullable<Shape['drive']> {
  return async (handle) => {
    for (const [index, decision] of decisions.entries()) {
      await atGate(handle, `gate-${index + 1}`);
      await send(handle, 'approve', decision);
    }
  };
}

const gatesAt = (...stages: Stage[]) => withPolicy({ gates: { ...GATES, stages } });
const clocks = (gates: Partial<RunPolicy['gates']>) =>
  withPolicy({ gates: { ...GATES, stages: ['planning'], ...gates } });
const noContent = (rounds: number): Partial<Activities> => ({
  ...withPolicy({ rounds }),
  ...withTurns(({ stage, round }) => {
    if (stage === 'fixing') return { head: round.toString(16).padStart(40, '0') };
    return stage === 'reviewing' ? NOT_CONTENT : {};
  }),
});

/** The turn of this stage waits until `drive` has said what it wants to say. */
function whileIn(
  stage: TurnStage,
  say: (handle: WorkflowHandle) => Promise<void>,
  after?: NonNullable<Shape['drive']>,
): Shape {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    activities: {
      runTurn: async (input) => {
        if (input.stage === stage) await held;
        return stubTurn(input);
      },
    },
    async drive(handle, host) {
      await until(() => host.turns.some((turn) => turn.stage === stage));
      await say(handle);
      release();
      return after?.(handle, host);
    },
  };
}

const NOT_CONTENT_ONCE = inStage('reviewing', NOT_CONTENT);
const LOST_ONCE = inStage('fixing', { outcome: { kind: 'transient', why: 'gone', fresh: true } });

const ROUNDS: Shapes = {
  'run-fix-round-by-review': { activities: withTurns(inStage('reviewing', NOT_CONTENT)) },
  'run-fix-round-by-red-checks': {
    activities: {
      validate: async (input) => {
        const red = { outcome: { kind: 'failed', why: 'red' }, findings: FINDINGS } as const;
        return { ...stubValidation(input.round === 0 ? red : {}), journalSeq: input.journal.view.seq };
      },
    },
  },
  'run-conversation-lost': { activities: withTurns((input) => ({ ...NOT_CONTENT_ONCE(input), ...LOST_ONCE(input) })) },
  'run-rounds-exhausted': { activities: noContent(2) },
  'run-twenty-rounds': { activities: noContent(20) },
};

const GATE_SHAPES: Shapes = {
  'run-gate-approved': { activities: gatesAt('executing'), drive: deciding({ by: 'ada', note: 'fine' }) },
  'run-gate-approved-by-signal': {
    activities: gatesAt('validating'),
    async drive(handle) {
      await atGate(handle);
      await handle.signal('approve');
    },
  },
  'run-gate-rejected': { activities: gatesAt('executing'), drive: deciding({ decision: 'reject', note: 'too risky' }) },
  'run-gate-expired': { activities: clocks({ expireMs: 300 }) },
  'run-gate-unattended': {
    activities: clocks({}),
    start: (host, workflowId) => host.start({ ...TASK, attended: false }, workflowId),
  },
  'run-gate-reminded-and-escalated': {
    activities: clocks({ remindMs: 200, escalateMs: 500, expireMs: 30 * 86_400_000 }),
    async drive(handle, host) {
      await until(() =>
        host.batches.some((batch) => batch.events.some((event) => event.type === 'approval.escalated')),
      );
      await send(handle, 'approve');
    },
  },
  'run-gate-changes-requested': {
    activities: gatesAt('executing'),
    drive: deciding({ decision: 'request_changes', note: 'keep the old name' }, {}),
  },
  'run-gate-changes-requested-of-a-fix': {
    activities: { ...gatesAt('verifying'), ...withTurns(inStage('fixing', { head: '9'.repeat(40) })) },
    drive: deciding({ decision: 'request_changes', note: 'and a test' }, {}),
  },
  'run-gate-asked-by-agent': {
    activities: withTurns(
      inStage('planning', { request: { kind: 'approval', reason: 'drops a table', risk: 'high', action: null } }),
    ),
    drive: deciding({}),
  },
  'run-question-answered': {
    activities: withTurns(
      inStage('planning', { request: { kind: 'question', reason: 'which database?', risk: 'low', action: null } }),
    ),
    async drive(handle) {
      await atGate(handle);
      await send(handle, 'answer', { text: 'sqlite' });
    },
  },
  'run-gate-budget': {
    activities: withPolicy({
      budget: { turns: 2, minutes: null, microUsd: null, tokens: null, onLimit: 'pause', day: null },
    }),
    drive: deciding({}, {}),
  },
  'run-budget-stopped': {
    activities: withPolicy({
      budget: { turns: 2, minutes: null, microUsd: null, tokens: null, onLimit: 'stop', day: null },
    }),
  },
  'run-guarded-paths': {
    activities: withTurns(
      inStage('executing', {
        outcome: { kind: 'guarded_paths', why: 'touches AGENTS.md', paths: ['AGENTS.md'] },
        observations: [COMMITTED],
      }),
    ),
    drive: deciding({}),
  },
  'run-repository-changed-in-verifying': {
    activities: withTurns(
      inStage('verifying', {
        outcome: { kind: 'repository_changed', why: 'a new hook' },
        head: '7'.repeat(40),
        decision: null,
      }),
    ),
    drive: deciding({}),
  },
  'run-held-at-completion': { activities: withPolicy({ holdAtCompletion: true }), drive: deciding({}) },
  'run-permission-ask': {
    activities: {
      ...withPolicy({ permissions: 'ask' }),
      ...withTurns(inStage('executing', { observations: [COMMITTED] })),
    },
    drive: deciding({}),
  },
  'run-aborted-at-gate': {
    activities: gatesAt('planning'),
    async drive(handle) {
      await atGate(handle);
      await send(handle, 'abort', { by: 'ada' });
    },
  },
};

const pause = async (handle: WorkflowHandle) => {
  await send(handle, 'pause', { by: 'ada' });
};

const MESSAGES: Shapes = {
  'run-paused-and-resumed': whileIn('executing', pause, async (handle) => {
    await untilStatus(handle, 'paused');
    await send(handle, 'resume');
  }),
  'run-pause-cancelled': whileIn('executing', async (handle) => {
    await pause(handle);
    await send(handle, 'resume');
  }),
  'run-aborted-while-its-host-is-away': {
    activities: { openRun: async (input) => ({ ...stubOpen(input), hostId: 'away' }) },
    async drive(handle) {
      await send(handle, 'pause');
      await untilStatus(handle, 'paused');
      await send(handle, 'abort');
    },
  },
  'run-aborted-while-paused': whileIn('planning', pause, async (handle) => {
    await untilStatus(handle, 'paused');
    await handle.signal('abort');
  }),
  'run-steered-and-renamed': whileIn('planning', async (handle) => {
    await send(handle, 'steer', { text: 'use the standard library', by: 'ada' });
    await handle.signal('rename', 'another title');
    await untilView(handle, (view) => view.title === 'another title');
  }),
  'run-refused-messages': whileIn('planning', async (handle) => {
    await handle.signal('approve');
    await handle.signal('make_coffee', { strong: true });
    await handle.signal('steer', { color: 'red' });
    await send(handle, 'resume').catch(() => undefined);
    const twice = { text: 'once', requestId: 'r-1' };
    await send(handle, 'steer', twice);
    await handle.signal('steer', twice);
    await untilView(handle, (view) => view.seq >= 6);
  }),
};

const TOO_LONG = { kind: 'overflow', why: 'too long' } as const;

const withPlanner = (part: Partial<StageAgent>): Partial<Activities> => ({
  openRun: async (input) => {
    const open = stubOpen(input);
    const planning = stubAgent(part);
    return { ...open, policy: { ...open.policy, agentOf: { ...open.policy.agentOf, planning } } };
  },
});

const RETRIES: Shapes = {
  'run-rate-limited': {
    activities: withTurns(inStage('planning', { outcome: { kind: 'rate_limited', why: '429', afterMs: null } })),
  },
  'run-timed-out-once': { activities: withTurns(inStage('planning', { outcome: { kind: 'timeout', why: 'late' } })) },
  'run-usage-limit': {
    activities: withTurns((input) =>
      input.stage === 'planning' && input.place.seq === 2
        ? { outcome: { kind: 'usage_limit', why: 'limit', until: new Date(Date.now() + 1_000).toISOString() } }
        : {},
    ),
  },
  'run-overflow-again': {
    activities: {
      ...withPlanner({ extendedModel: 'large' }),
      ...withTurns(inStage('planning', { outcome: TOO_LONG }, { outcome: TOO_LONG })),
    },
  },
  'run-fallback-agent': {
    activities: {
      ...withPlanner({ fallback: 'other' }),
      ...withTurns(inStage('planning', { outcome: { kind: 'hard', why: 'exit 1' } })),
    },
  },
};

const OTHERS: Shapes = {
  'run-notifying': {
    activities: withPolicy({ sinks: ['command', 'webhook'], gates: { ...GATES, stages: ['executing'] } }),
    drive: deciding({}),
  },
  'run-notifying-of-its-abort': {
    activities: withPolicy({ sinks: ['command'], gates: { ...GATES, stages: ['planning'] } }),
    async drive(handle) {
      await atGate(handle);
      await handle.cancel();
    },
  },
  'run-rewound': {
    activities: {
      openRun: async (input) => ({
        ...stubOpen(input),
        resumed: {
          sourceRunId: 'source',
          fromStage: 'reviewing',
          commit: 'c'.repeat(40),
          wroteCode: true,
          context: {
            plan: null,
            architecture: null,
            validation: null,
            review: null,
            findings: null,
            validationOutput: null,
          },
          approved: false,
        },
      }),
    },
  },
  'run-reset': {
    activities: gatesAt('reviewing'),
    async drive(handle, host) {
      await atGate(handle);
      const reset = await resetToThirdTurn(handle, host);
      await atGate(reset);
      await send(reset, 'approve');
      return reset;
    },
  },
};

async function resetToThirdTurn(handle: WorkflowHandle, host: StubHost): Promise<WorkflowHandle> {
  const { events } = await handle.fetchHistory();
  const turns = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: turn }) =>
    turn?.activityType?.name === 'runTurn' ? [turn] : [],
  );
  const { runId } = await host.client.workflowService.resetWorkflowExecution({
    namespace: host.client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId },
    reason: 'a recording',
    requestId: randomUUID(),
    workflowTaskFinishEventId: turns[2]?.workflowTaskCompletedEventId ?? null,
  });
  return host.client.workflow.getHandle(handle.workflowId, runId);
}

export const RUN_SHAPES: Shapes = { ...ROUNDS, ...GATE_SHAPES, ...MESSAGES, ...RETRIES, ...OTHERS };

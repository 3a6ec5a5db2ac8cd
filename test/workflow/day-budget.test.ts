/** The day's budget of a project over the real server: runs that race, repeat, die and ask a person, and a ledger that goes on through all of it. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import {
  BUDGET_WORKFLOW,
  budgetWorkflowId,
  type DayBudgetView,
  RESERVE_SIGNAL,
  SETTLE_SIGNAL,
} from '../../protocol/actors/day-budget.js';
import type { RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import { HAND_OVER_SIGNAL, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import type { BudgetPolicy, RunPolicy } from '../../protocol/run/policy.js';
import type { Stage } from '../../protocol/run/stages.js';
import { detailsOf, eventsOf, typesOf, untilView } from '../support/run-steps.js';
import {
  BUNDLE_PATH,
  openStubWorkers,
  type StubHost,
  type StubWorkers,
  stubAgent,
  stubOpen,
  stubTurn,
} from '../support/stub-host.js';
import { until } from '../support/until.js';

const INPUT = { task: 'do it', repo: '/repository', attended: true };
const NO_LIMIT = { turns: null, minutes: null, microUsd: null, tokens: null };
const USED_UP = { outcome: 'blocked', blockedReason: 'budget' };
const LIMIT_MS = 300_000;

interface Setup {
  readonly project: string;
  readonly budget: Partial<BudgetPolicy>;
  readonly stages?: readonly Stage[];
  readonly policy?: Partial<RunPolicy>;
  readonly turn?: (input: RunTurnInput) => Promise<Partial<RunTurnResult>> | Partial<RunTurnResult>;
}

const today = () => new Date().toISOString().slice(0, 10);
describe("the day's budget of a project", () => {
  const held: (() => void)[] = [];
  let workers: StubWorkers;
  let host: StubHost;
  let project: string;

  beforeAll(async () => {
    workers = await openStubWorkers();
  }, LIMIT_MS);
  // A turn that a failed test left held would hold the workers too.
  afterEach(() => {
    for (const release of held.splice(0)) release();
  });
  afterAll(() => workers.close(), LIMIT_MS);

  function open({ project: name, budget, stages = ['planning'], policy = {}, turn = () => ({}) }: Setup): StubHost {
    const day = { ...NO_LIMIT, onLimit: 'stop', day: null, ...budget } as const;
    host = workers.open({
      openRun: async (opening) => ({ ...stubOpen(opening, stages, { budget: day, ...policy }), project: name }),
      runTurn: async (asked) => stubTurn(asked, await turn(asked)),
    });
    return host;
  }

  const newProject = () => {
    project = `p-${randomUUID().slice(0, 8)}`;
    return project;
  };
  const ledger = () => host.client.workflow.getHandle(budgetWorkflowId(project));
  const settle = async (turns: number, day: string) => {
    const usage = { durationMs: 60_000, costMicroUsd: 1, tokens: null };
    for (let n = 0; n < turns; n += 1) await ledger().signal(SETTLE_SIGNAL, { token: `turn-${n}`, day, usage });
  };
  const view = () => ledger().query<DayBudgetView>(STATUS_QUERY);
  const startLedger = (): Promise<WorkflowHandle> =>
    host.client.workflow.start(BUDGET_WORKFLOW, {
      workflowId: budgetWorkflowId(project),
      taskQueue: TASK_QUEUE,
      args: [{ project }],
    });
  const hold = () =>
    new Promise<Partial<RunTurnResult>>((resolve) => {
      held.push(() => resolve({}));
    });

  it(
    'gives its last turn to exactly one of the runs that race for it; the others end blocked before they start an agent',
    async () => {
      open({ project: newProject(), budget: { day: { ...NO_LIMIT, turns: 1 } } });
      const runs = await Promise.all(Array.from({ length: 4 }, () => host.start(INPUT)));
      const results = await Promise.all(runs.map((run) => run.result()));

      expect(results.filter(({ blockedReason }) => blockedReason === 'budget')).toHaveLength(3);
      expect(host.turns).toHaveLength(1);
      const refused = results.find(({ blockedReason }) => blockedReason === 'budget');
      expect(refused.error).toMatch(
        /used 1 of 1 turns of the day \d{4}-\d\d-\d\d \(UTC\).*a new day begins at .*T00:00:00.000Z/,
      );
      expect(await view()).toMatchObject({ settled: { turns: 1 }, reserved: { turns: 0 } });
    },
    LIMIT_MS,
  );

  it(
    'V-130: counts every attempt once, and both runs and ledger replay as they went',
    async () => {
      let failures = 1;
      const turn = ({ stage }: RunTurnInput) => {
        const fails = stage === 'architecting' && failures-- > 0;
        const outcome = fails ? ({ kind: 'timeout', why: 'too slow' } as const) : ({ kind: 'done' } as const);
        return { outcome, durationMs: 60_000, costMicroUsd: 250_000, tokens: null };
      };
      open({
        project: newProject(),
        budget: { day: { ...NO_LIMIT, turns: 5 } },
        stages: ['planning', 'architecting'],
        turn,
      });
      const run = await host.start(INPUT);
      await run.result();
      for (let n = 0; n < 3; n += 1) await settle(1, today());

      expect(await view()).toMatchObject({
        settled: { turns: 4, ms: 240_000, microUsd: 750_001, tokens: 0 },
        reserved: { turns: 0 },
      });
      expect((await detailsOf(run)).stages).toEqual([]);
      for (const handle of [run, ledger()]) {
        const history = await handle.fetchHistory();
        await expect(
          Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE_PATH } }, history, handle.workflowId),
        ).resolves.toBeUndefined();
      }
    },
    LIMIT_MS,
  );

  it(
    'counts no turn whose agent was not started',
    async () => {
      const closed = { kind: 'usage_limit', why: 'the limit of own was met before', until: null } as const;
      const turn = () => ({ outcome: closed, started: false, durationMs: 0, costMicroUsd: 0, tokens: 0 });
      const usageLimit = { action: 'stop', maxWaitMs: 0, maxWaits: 0 } as const;
      open({ project: newProject(), budget: { day: { ...NO_LIMIT, turns: 1 } }, policy: { usageLimit }, turn });
      await (await host.start(INPUT)).result();

      expect(host.turns).toHaveLength(1);
      expect(await view()).toMatchObject({ settled: { turns: 0 }, reserved: { turns: 0 } });
    },
    LIMIT_MS,
  );

  it(
    'V-130: counts what was used today, and nothing of another day',
    async () => {
      open({ project: newProject(), budget: { day: { ...NO_LIMIT, turns: 3 } } });
      await startLedger();
      await settle(3, '2020-02-02');
      const granted = await host.start(INPUT);
      await granted.result();
      expect(await view()).toMatchObject({ day: today(), settled: { turns: 1 } });

      await settle(2, today());
      const refused = await host.start(INPUT);
      expect(await refused.result()).toMatchObject(USED_UP);
      expect(host.turns).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'opens a gate where the policy says pause, and an approval makes room for all runs of the project',
    async () => {
      const budget = { day: { ...NO_LIMIT, turns: 1 }, onLimit: 'pause' } as const;
      open({ project: newProject(), budget, stages: ['planning', 'architecting'] });
      const run = await host.start(INPUT);
      await untilView(run, (seen) => seen.pendingApprovalId === 'gate-1');
      const { gates } = await detailsOf(run);
      await run.executeUpdate('approve', { args: [{}] });
      const result = await run.result();

      expect(gates).toMatchObject([{ source: 'budget', stage: 'architecting', changesGoTo: null }]);
      expect(result.blockedReason).not.toBe('budget');
      expect(host.turns.map(({ stage }) => stage)).toEqual(['planning', 'architecting']);
      expect(eventsOf(host).find(({ type }) => type === 'budget.limit')?.data).toMatchObject({
        limit: 'turns',
        used: 1,
        allowed: 1,
        day: today(),
      });
      expect(await view()).toMatchObject({ settled: { turns: 2 }, grants: 1 });
    },
    LIMIT_MS,
  );

  it(
    'takes back what a terminated run held, and counts the turn of an aborted one',
    async () => {
      const first = open({ project: newProject(), budget: { day: { ...NO_LIMIT, turns: 1 } }, turn: hold });
      const dead = await first.start(INPUT);
      await until(() => first.turns.length === 1);
      await dead.terminate('by hand');
      for (const release of held.splice(0)) release();
      const second = open({ project, budget: { day: { ...NO_LIMIT, turns: 1 } }, turn: hold });
      const aborted = await second.start(INPUT);
      await until(() => second.turns.length === 1);
      await aborted.executeUpdate('abort', { args: [{}] });
      for (const release of held.splice(0)) release();

      expect(await aborted.result()).toMatchObject({ outcome: 'aborted' });
      expect(await view()).toMatchObject({ settled: { turns: 1 }, reserved: { turns: 0 } });
      const third = open({ project, budget: { day: { ...NO_LIMIT, turns: 1 } } });
      expect(await (await third.start(INPUT)).result()).toMatchObject(USED_UP);
    },
    LIMIT_MS,
  );

  it(
    'is waited for while its ledger does not answer, and an abort waits for nothing; one that was ended by hand is started anew',
    async () => {
      open({ project: newProject(), budget: { day: { ...NO_LIMIT, turns: 1 } } });
      const silent = { workflowId: budgetWorkflowId(project), taskQueue: `nobody-${project}`, args: [{ project }] };
      const ledgerOfNobody = await host.client.workflow.start(BUDGET_WORKFLOW, silent);
      const run = await host.start(INPUT);
      const waiting = await untilView(run, (seen) => seen.waiting?.kind === 'budget');
      await run.executeUpdate('abort', { args: [{}] });
      const result = await run.result();
      await ledgerOfNobody.terminate('by hand');
      await (await host.start(INPUT)).result();

      expect(waiting.status).toBe('planning');
      expect(result).toMatchObject({ outcome: 'aborted' });
      expect(host.turns).toHaveLength(1);
      expect(await view()).toMatchObject({ settled: { turns: 1 } });
    },
    LIMIT_MS,
  );

  it(
    'is kept over every new execution of its ledger, whatever signals anybody sends',
    async () => {
      open({
        project: newProject(),
        budget: { day: { ...NO_LIMIT, turns: 6 } },
        stages: ['planning', 'architecting', 'executing'],
      });
      await startLedger();
      const before = await ledger().describe();
      for (const name of [RESERVE_SIGNAL, SETTLE_SIGNAL, 'release', 'approve', 'no-such-signal']) {
        for (const argument of [undefined, null, 7, ['a list'], { token: 5 }]) await ledger().signal(name, argument);
      }
      let isAsking = true;
      const askingAlways = (async () => {
        while (isAsking) await ledger().signal(HAND_OVER_SIGNAL);
      })();
      const runs = await Promise.all([1, 2].map(() => host.start(INPUT)));
      await Promise.all(runs.map((run) => run.result()));
      isAsking = false;
      await askingAlways;
      const after = await ledger().describe();

      expect(host.turns).toHaveLength(6);
      expect(after.status.name).toBe('RUNNING');
      expect(after.runId).not.toBe(before.runId);
      expect(await view()).toMatchObject({ settled: { turns: 6 }, reserved: { turns: 0 } });
      expect(await (await host.start(INPUT)).result()).toMatchObject(USED_UP);
    },
    LIMIT_MS,
  );

  it(
    'ends a run under a limit of money whose agent does not tell what it costs, after its first turn',
    async () => {
      const agent = stubAgent({ agent: 'mute', adapter: 'command' });
      const agentOf = {
        planning: agent,
        architecting: agent,
        executing: agent,
        reviewing: agent,
        fixing: agent,
        verifying: agent,
      };
      const stages = ['planning', 'architecting'] as const;
      open({
        project: newProject(),
        budget: { day: { ...NO_LIMIT, microUsd: 5_000_000 } },
        stages,
        policy: { agentOf },
      });
      const result = await (await host.start(INPUT)).result();

      expect(result).toMatchObject(USED_UP);
      expect(result.error).toContain(
        'the agent mute did not tell what its turn cost, so budget.day.usd ($5) cannot be kept',
      );
      expect(host.turns).toHaveLength(1);
      expect(typesOf(host)).not.toContain('budget.limit');
    },
    LIMIT_MS,
  );

  it(
    'costs a run without one nothing: it speaks to no ledger',
    async () => {
      open({ project: newProject(), budget: { turns: 5 } });
      const run = await host.start(INPUT);
      await run.result();
      const { events } = await run.fetchHistory();

      expect(
        (events ?? []).filter((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes),
      ).toHaveLength(0);
      expect((await detailsOf(run)).ledger).toBeNull();
    },
    LIMIT_MS,
  );
});

/** Runs stay open while the worker that decides for them is replaced by one with a changed workflow. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunResult } from '../../protocol/messages/messages.js';
import { RUN_WORKFLOW } from '../../protocol/names.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { bundleChangedWorkflow, type ChangedWorkflow, TEST_PATCH } from '../support/changed-workflow.js';
import { untilStatus, untilView } from '../support/run-steps.js';
import { BUNDLE_PATH, GATES, openStubHost, type StubHost, stubOpen, stubTurn } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.js';

/** Each also the task of its run, by which the stub host knows it. */
const STATES = ['at a gate', 'in a turn', 'paused', 'in a back-off'] as const;
type State = (typeof STATES)[number];
const GATED = { ...GATES, stages: ['executing'] as const };
const TURNS = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];
const QUEUE = 'deployed-to';
/** Failed tries before the back-off that is met, which is then of 4 s ± 20 %. */
const FAILED_TRIES = 3;
/** Of `temporal.api.enums.v1.WorkflowTaskFailedCause`. */
const NON_DETERMINISTIC_ERROR = 24;
const LIMIT_MS = 300_000;

describe('a deploy', () => {
  let patched: ChangedWorkflow;
  let bare: ChangedWorkflow;
  let host: StubHost;
  let worker: WorkflowWorker;
  let pauseSent: boolean;
  let release: () => void;
  let held: Promise<void>;

  beforeAll(async () => {
    [patched, bare] = await Promise.all([bundleChangedWorkflow('patched'), bundleChangedWorkflow('bare')]);
  }, LIMIT_MS);
  afterAll(() => {
    patched.remove();
    bare.remove();
  });
  beforeEach(async () => {
    pauseSent = false;
    held = new Promise((resolve) => {
      release = resolve;
    });
    host = await openStubHost({
      openRun: async (input) =>
        stubOpen(input, STAGE_LISTS.full, input.run.task === 'at a gate' ? { gates: GATED } : {}),
      runTurn: async (input) => {
        const { task } = input.journal.view;
        if (task === 'in a turn' && input.stage === 'executing') await held;
        if (task === 'paused' && input.stage === 'planning') await until(() => pauseSent);
        if (task !== 'in a back-off') return stubTurn(input);
        if (turnsOf(task).length <= FAILED_TRIES)
          return stubTurn(input, { outcome: { kind: 'transient', why: '503' } });
        // A back-off that a busy machine let pass before the deploy is followed by no decision of the former worker.
        await held;
        return stubTurn(input);
      },
    });
    worker = await startWorkflowWorker(host.client, QUEUE, { bundlePath: BUNDLE_PATH });
  }, LIMIT_MS);
  afterEach(async () => {
    release();
    await worker.stop();
    await host.close();
  }, LIMIT_MS);

  const turnsOf = (task: State) =>
    host.turns.filter((turn) => turn.journal.view.task === task).map((turn) => turn.stage);

  /** Resolves when the run is in the state of its name. */
  async function openRun(task: State): Promise<WorkflowHandle> {
    const handle = await host.client.workflow.start(RUN_WORKFLOW, {
      workflowId: task.replaceAll(' ', '-'),
      taskQueue: QUEUE,
      args: [{ task, repo: '/repository' }],
      // A task that the stopped worker polled last is lost for this long.
      workflowTaskTimeout: '3 seconds',
    });
    switch (task) {
      case 'at a gate':
        await untilStatus(handle, 'waiting_for_approval');
        break;
      case 'in a turn':
        await until(() => turnsOf(task).at(-1) === 'executing');
        break;
      case 'paused':
        await until(() => turnsOf(task).length === 1);
        await handle.executeUpdate('pause', { args: [{}] });
        pauseSent = true;
        await untilStatus(handle, 'paused');
        break;
      case 'in a back-off':
        await until(() => turnsOf(task).length >= FAILED_TRIES);
        await untilView(handle, ({ waiting }) => waiting?.kind === 'transient' || turnsOf(task).length > FAILED_TRIES);
    }
    return handle;
  }

  async function deploy(bundlePath: string): Promise<void> {
    await worker.stop();
    worker = await startWorkflowWorker(host.client, QUEUE, { bundlePath });
  }

  const historyOf = async (handle: WorkflowHandle) => (await handle.fetchHistory()).events ?? [];
  const outcomesOf = (runs: readonly WorkflowHandle[]) =>
    Promise.all(runs.map(async (run) => ((await run.result()) as RunResult).outcome));
  const failuresOf = async (handle: WorkflowHandle) =>
    (await historyOf(handle)).flatMap((event) => event.workflowTaskFailedEventAttributes?.cause ?? []);

  it(
    'of a change behind patched() lets every open run go on, into the changed part, and repeats no turn',
    async () => {
      const runs = await Promise.all(STATES.map(openRun));
      await deploy(patched.bundlePath);
      release();
      await Promise.all(runs.slice(0, 1).map((run) => run.executeUpdate('approve', { args: [{ by: 'ada' }] })));
      await runs[2]?.signal('resume');

      expect(await outcomesOf(runs)).toEqual(STATES.map(() => 'merge_ready'));
      expect(STATES.map(turnsOf)).toEqual([TURNS, TURNS, TURNS, ['planning', 'planning', 'planning', ...TURNS]]);
      for (const run of runs) {
        const markers = (await historyOf(run)).flatMap((event) => event.markerRecordedEventAttributes ?? []);
        const patches = markers.map(({ details }) =>
          Buffer.from(details?.['patch-data']?.payloads?.[0]?.data ?? []).toString(),
        );
        expect(patches.join()).toContain(TEST_PATCH);
        // A copy of a run that is given up fails a task too, and is made anew.
        expect(await failuresOf(run)).not.toContain(NON_DETERMINISTIC_ERROR);
      }
    },
    LIMIT_MS,
  );

  it(
    'of the same change without patched() fails the next task of an open run, ends none, and is mended by a deploy',
    async () => {
      const runs = await Promise.all([openRun('at a gate'), openRun('paused')]);
      await deploy(bare.bundlePath);
      await runs[0].signal('approve', { by: 'ada' });
      await runs[1].signal('resume');
      await until(async () =>
        (await Promise.all(runs.map(failuresOf))).every((causes) => causes.includes(NON_DETERMINISTIC_ERROR)),
      );
      for (const run of runs) expect((await run.describe()).status.name).toBe('RUNNING');

      await deploy(patched.bundlePath);

      expect(await outcomesOf(runs)).toEqual(['merge_ready', 'merge_ready']);
      expect([turnsOf('at a gate'), turnsOf('paused')]).toEqual([TURNS, TURNS]);
    },
    LIMIT_MS,
  );
});

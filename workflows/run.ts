/**
 * One task through the lifecycle: created → planning → … → verifying → merge_ready, or to blocked, failed, aborted.
 * Waits for: host activities; native cancellation means abort.
 * Survives: the loss of worker, server and host process at any point; every effect belongs to a place on the host.
 * Ends: always at its outcome. Landing is another workflow.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  defineQuery,
  isCancellation,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { FAILURES } from '../protocol/failures.js';
import type { Stage } from '../protocol/lifecycle.js';
import { MAX_JOURNAL_EVENTS } from '../protocol/limits.js';
import type { RunInput, RunResult } from '../protocol/messages.js';
import { STATUS_QUERY } from '../protocol/names.js';
import { isRunId, RUN_ID_RULE, runIdOfWorkflow } from '../protocol/run-id.js';
import { checkRunInput } from '../protocol/run-input.js';
import type { RunView } from '../protocol/run-view.js';
import { anyHost, openingHost } from './activity-options.js';
import { closeRun } from './close-run.js';
import { blocked, type Ending } from './ending.js';
import { stageAfter, statusBetween } from './next-stage.js';
import { Presenter } from './present.js';
import { RunState, sentence } from './run-state.js';
import { type RunContext, takeTurn } from './turn.js';
import { takeValidation } from './validation.js';

const ABORTED: Ending = { outcome: 'aborted', error: 'aborted by cancellation' };

export const statusQuery = defineQuery<RunView>(STATUS_QUERY);

export async function run(input: RunInput): Promise<RunResult> {
  const state = new RunState(checkedRunId(), checkedInput(input));
  const context: RunContext = { run: state, presenter: new Presenter(state) };
  setHandler(statusQuery, () => state.view());
  const ending = await endingOf(context);
  return CancellationScope.nonCancellable(() => closeRun(context, ending));
}

/** The lifecycle. */
async function walk(context: RunContext): Promise<Ending> {
  const { run } = context;
  await openRun(context);
  if (run.open.setupError !== null) {
    return { outcome: 'failed', errorClass: 'setup', error: `${run.open.setupError}; no agent was started` };
  }
  let stage: Stage | null = null;
  for (;;) {
    const next = stageAfter(run.open.policy.stages, stage);
    if (next === null) return { outcome: 'merge_ready' };
    if (run.eventCount >= MAX_JOURNAL_EVENTS) return blocked('journal_full', `the journal has ${run.eventCount} events`);
    const between = statusBetween(stage, next);
    if (between !== null) run.move(between);
    run.enter(next);
    const ending = next === 'validating' ? await takeValidation(context) : await takeTurn(context, next);
    if (ending !== null) return ending;
    stage = next;
  }
}

async function openRun({ run, presenter }: RunContext): Promise<void> {
  presenter.show();
  const hostId = run.input.host ?? (await pickHost(run.input.repo));
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const input = { place: run.nextPlace(), run: run.input, workflowId, firstExecutionRunId, startedAt: run.view().startedAt };
  run.adopt(await openingHost(hostId).openRun.executeWithOptions({ summary: `open on ${hostId}` }, [input]));
}

async function pickHost(repo: string): Promise<string> {
  try {
    return (await anyHost().pickHost({ repo })).hostId;
  } catch (err) {
    if (err instanceof ActivityFailure && err.cause instanceof TimeoutFailure) {
      throw ApplicationFailure.nonRetryable(
        `no host answered for ${repo} within 30 s.\nA host must poll the queue sluice-host and have the repository on its list.\nNothing was started.\nStart one with \`sluice up\` or \`sluice worker\`, and run \`sluice init\` in the repository.`,
        FAILURES.RepositoryNotServed,
      );
    }
    throw err;
  }
}

/** An abort or a failed activity of an open run is an ending; before that the run never started and the workflow fails. */
async function endingOf(context: RunContext): Promise<Ending> {
  const abortRequested = () => CancellationScope.current().consideredCancelled;
  try {
    const ending = await walk(context);
    // An activity that was interrupted may answer a failure; what the abort broke is not the run's fault.
    return ending.outcome === 'failed' && abortRequested() ? ABORTED : ending;
  } catch (err) {
    if (isCancellation(err) || (err instanceof ActivityFailure && abortRequested())) return ABORTED;
    if (!(err instanceof ActivityFailure)) throw err;
    const cause = err.cause instanceof ApplicationFailure ? err.cause : null;
    const message = cause?.message ?? err.message;
    if (context.run.opened === null) {
      throw ApplicationFailure.create({ message, type: cause?.type ?? FAILURES.BadInput, nonRetryable: true, cause: err });
    }
    return { outcome: 'failed', errorClass: cause?.type ?? 'activity', error: sentence(message) };
  }
}

function checkedInput(value: unknown): RunInput {
  const check = checkRunInput(value);
  if (check.kind === 'bad') throw ApplicationFailure.nonRetryable(`${check.message}. Nothing was started.`, FAILURES.BadInput, check.field);
  return check.input;
}

function checkedRunId(): string {
  const runId = runIdOfWorkflow(workflowInfo().workflowId);
  if (!isRunId(runId)) {
    throw ApplicationFailure.nonRetryable(
      `the workflow id gives the run id ${JSON.stringify(runId.slice(0, 100))}, which is not one (${RUN_ID_RULE}). Nothing was started.`,
      FAILURES.BadInput,
      'workflowId',
    );
  }
  return runId;
}

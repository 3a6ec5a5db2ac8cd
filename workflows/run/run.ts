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
  defineSignal,
  isCancellation,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { QUOTA_SIGNAL } from '../../protocol/actors/quota.js';
import { FAILURES } from '../../protocol/failures.js';
import { MAX_JOURNAL_EVENTS } from '../../protocol/limits.js';
import { RUN_MESSAGES } from '../../protocol/messages/message-rows.js';
import type { RunInput, RunResult } from '../../protocol/messages/messages.js';
import { checkRunInput } from '../../protocol/messages/run-input.js';
import type { RunDetails, RunView } from '../../protocol/messages/run-view.js';
import { DETAILS_QUERY, STATUS_QUERY } from '../../protocol/names.js';
import type { Boundary } from '../../protocol/run/gate.js';
import { firstEvidence, stageAfter } from '../../protocol/run/next-stage.js';
import { isRunId, RUN_ID_RULE, runIdOfWorkflow } from '../../protocol/run/run-id.js';
import { isDecisionStage } from '../../protocol/run/stages.js';
import { badInputFailure, refusalFailure } from '../../protocol/text/refusal.js';
import { anyHost, openingHost } from '../activity-options.js';
import { JournalledInbox } from '../inbox/journalled-inbox.js';
import { listen } from '../inbox/listen.js';
import { sentence } from '../journal/journal.js';
import { enter, honourPause } from './boundary.js';
import { closeRun } from './close-run.js';
import { blocked, type Ending, endingOfStages } from './ending.js';
import { fullHistory, guardHistory } from './full-history.js';
import { LiveRun } from './live-run.js';
import { messagesOf } from './run-messages.js';
import type { RunState } from './run-state.js';
import { takeStage } from './stage.js';

export const statusQuery = defineQuery<RunView>(STATUS_QUERY);
const quotaSignal = defineSignal<[unknown]>(QUOTA_SIGNAL);
export const detailsQuery = defineQuery<RunDetails>(DETAILS_QUERY);

export async function run(input: RunInput): Promise<RunResult> {
  const live = new LiveRun(checkedRunId(), checkedInput(input), expectsPerson(input));
  const lifecycle = new CancellationScope();
  setHandler(statusQuery, () => live.view());
  setHandler(detailsQuery, () => live.details());
  setHandler(quotaSignal, (argument) => live.quota.hear(argument));
  const inbox = new JournalledInbox(live, messagesOf(live, lifecycle));
  listen({ signals: RUN_MESSAGES, updates: RUN_MESSAGES }, inbox);
  void guardHistory(live, lifecycle);
  live.flush.start();
  live.news.start();
  const ending = await endingOf(live, lifecycle);
  return CancellationScope.nonCancellable(() => closeRun(live, ending));
}

/** The lifecycle. */
async function walk(run: LiveRun): Promise<Ending> {
  await openRun(run);
  if (run.open.setupError !== null) {
    return { outcome: 'failed', errorClass: 'setup', error: `${run.open.setupError}; no agent was started` };
  }
  let next = firstStage(run);
  for (;;) {
    await honourPause(run);
    if (run.history !== 'free') return fullHistory();
    const events = run.journal.all.length;
    if (events >= MAX_JOURNAL_EVENTS) return blocked('journal_full', `the journal has ${events} events`);
    if (next === 'completion') {
      const ending = completion(run);
      if (ending.outcome !== 'merge_ready') return ending;
    }
    const end = (await enter(run, next)) ?? (next === 'completion' ? null : await takeStage(run, next));
    if (end === null) return completion(run);
    if (end.kind === 'ended') return end.ending;
    next = end.to;
  }
}

/** A rewound run begins where it was sent; what judges a tree has the checks of this tree before it (V-112, V-131). */
function firstStage({ open, policy }: RunState): Boundary {
  const stage = open.resumed?.fromStage;
  if (stage === undefined) return stageAfter(policy.stages, null);
  return isDecisionStage(stage) ? firstEvidence(policy.stages) : stage;
}

function completion({ facts, gates, head, policy }: RunState): Ending {
  return endingOfStages({
    stages: policy.stages,
    head,
    validation: facts.validation,
    review: facts.finalDecision,
    verification: facts.verification,
    evidence: facts.evidence,
    openGate: gates.open !== null,
    blockHits: facts.diffViolations,
  });
}

/** What the starter says; a schedule has nobody at hand. */
function expectsPerson(input: RunInput): boolean {
  return input.attended ?? workflowInfo().searchAttributes['TemporalScheduledById'] === undefined;
}

async function openRun(run: LiveRun): Promise<void> {
  run.presenter.show();
  const hostId = run.input.host ?? (await pickHost(run.input.repo));
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const input = {
    place: run.nextPlace(),
    run: run.input,
    workflowId,
    firstExecutionRunId,
    startedAt: run.view().startedAt,
  };
  run.adopt(await openingHost(hostId).openRun.executeWithOptions({ summary: `open on ${hostId}` }, [input]));
}

async function pickHost(repo: string): Promise<string> {
  try {
    return (await anyHost().pickHost({ repo })).hostId;
  } catch (err) {
    if (err instanceof ActivityFailure && err.cause instanceof TimeoutFailure) {
      const parts = {
        what: `no host answered for ${repo} within 30 s.`,
        why: 'A host must poll the queue sluice-host and have the repository on its list.',
        now: 'Nothing was started.',
        mend: 'Start one with `sluice up` or `sluice worker`, and run `sluice init` in the repository.',
      };
      throw ApplicationFailure.create(refusalFailure(FAILURES.RepositoryNotServed, parts));
    }
    throw err;
  }
}

/** An abort or a failed activity of an open run is an ending; before that the run never started and the workflow fails. */
async function endingOf(run: LiveRun, lifecycle: CancellationScope): Promise<Ending> {
  const abortRequested = () => lifecycle.consideredCancelled;
  try {
    const ending = await lifecycle.run(() => walk(run));
    // An abort that was accepted is kept, whatever the stage that it met came to.
    return abortRequested() ? cancelled(run) : ending;
  } catch (err) {
    if (isCancellation(err) || (err instanceof ActivityFailure && abortRequested())) return cancelled(run);
    if (!(err instanceof ActivityFailure)) throw err;
    const cause = err.cause instanceof ApplicationFailure ? err.cause : null;
    const message = cause?.message ?? err.message;
    if (run.opened === null) {
      const { type = null, details } = cause ?? {};
      throw ApplicationFailure.create({
        message,
        type: type ?? FAILURES.BadInput,
        nonRetryable: true,
        cause: err,
        ...(details == null ? {} : { details }),
      });
    }
    return { outcome: 'failed', errorClass: cause?.type ?? 'activity', error: sentence(message) };
  }
}

function cancelled({ people, history }: RunState): Ending {
  if (history === 'ended') return fullHistory();
  if (people.abort === null) return { outcome: 'aborted', error: 'aborted by cancellation' };
  const { by, reason } = people.abort;
  return { outcome: 'aborted', error: `aborted by ${by ?? 'somebody'}${reason === null ? '' : `: ${reason}`}` };
}

function checkedInput(value: unknown): RunInput {
  const check = checkRunInput(value);
  if (check.kind === 'bad') throw ApplicationFailure.create(badInputFailure(check.field, check.message));
  return check.input;
}

function checkedRunId(): string {
  const runId = runIdOfWorkflow(workflowInfo().workflowId);
  if (!isRunId(runId)) {
    const found = `the workflow id gives the run id ${JSON.stringify(runId.slice(0, 100))}, which is not one (${RUN_ID_RULE})`;
    throw ApplicationFailure.create(badInputFailure('workflowId', found));
  }
  return runId;
}

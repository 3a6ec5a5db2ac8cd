/** The end of a run: the last status, the verdict, the last journal lines and the report. */
import { ActivityFailure, workflowInfo } from '@temporalio/workflow';
import type { EventType } from '../../protocol/messages/journal.js';
import type { CloseRunInput, CloseRunResult, RunResult, RunSource } from '../../protocol/messages/messages.js';
import { type Assurance, assess } from '../../protocol/run/assurance.js';
import { UNASKED_MODES } from '../../protocol/run/landing-policy.js';
import type { RunOutcome } from '../../protocol/run/outcomes.js';
import { closingHost, controlHost } from '../activity-options.js';
import { expireGate } from '../gates/gate.js';
import { sentence } from '../journal/journal.js';
import { type Ending, STEP_FAILED, statusOf } from './ending.js';
import type { LiveRun } from './live-run.js';
import type { RunState } from './run-state.js';

const CLOSING_EVENT: Record<RunOutcome, EventType> = {
  merge_ready: 'run.completed',
  no_changes: 'run.completed',
  blocked: 'run.completed',
  failed: 'run.failed',
  aborted: 'run.aborted',
};

/** Effects: one host activity, and one notification where there are sinks; none where the run was never opened. */
export async function closeRun(run: LiveRun, ending: Ending): Promise<RunResult> {
  const { facts, people, gates, presenter, flush, notifier, quota } = run;
  run.isClosing = true;
  run.waiting = null;
  people.pauseRequested = false;
  people.pausedAtStatus = null;
  if (gates.open !== null) expireGate(run, gates.open, 'the run ended before anybody decided');
  facts.outcome = ending.outcome;
  facts.blockedReason = 'reason' in ending ? ending.reason : null;
  facts.error = 'error' in ending ? sentence(ending.error) : null;
  run.move(statusOf(ending.outcome));
  const assurance = assess({
    outcome: ending.outcome,
    wroteCode: facts.wroteCode,
    validation: facts.validation,
    review: facts.finalDecision,
    verification: facts.verification,
    policyViolations: facts.diffViolations + facts.readOnlyViolations,
  });
  noteEnd(run, ending, assurance.verdict);
  presenter.show();
  notifier.tell('run_closed', `${facts.outcome}${facts.error === null ? '' : `: ${facts.error}`}`);
  if (quota.isTaken) await quota.leave();
  const hurries = ending.outcome === 'aborted' || run.history === 'ended';
  await flush.settled(hurries);
  await notifier.started();
  const { outcome } = ending;
  const isLanding = outcome === 'merge_ready' && (await landUnasked(run));
  const { verdict, reasons } = assurance;
  const isOpened = run.opened !== null;
  const words = { outcome, verdict, verdictReasons: reasons };
  const closed = isOpened ? await writeReport(run, hurries, words) : null;
  await run.news.close();
  const failure = 'errorClass' in ending && ending.errorClass === STEP_FAILED ? { failure: STEP_FAILED } : {};
  const result = resultOf(run, outcome);
  return {
    ...result,
    ...failure,
    isLanding,
    verdict: isOpened ? verdict : null,
    report: closed?.report ?? null,
    document: closed?.document ?? result.document,
  };
}

function noteEnd({ journal, facts }: LiveRun, ending: Ending, verdict: Assurance['verdict']): void {
  journal.note(CLOSING_EVENT[ending.outcome], facts.error ?? ending.outcome, {
    outcome: ending.outcome,
    blockedReason: facts.blockedReason,
    stage: facts.stage,
    turn: facts.turn,
    errorClass: 'errorClass' in ending ? ending.errorClass : null,
    error: facts.error,
    verdict,
  });
}

/** A run that repairs for a landing is landed by that one; one of an item tells it by its landing. Without the server's word for a minute a person must ask for it. False: it lands only where somebody asks. */
async function landUnasked(run: RunState): Promise<boolean> {
  const { runId, attended, input, journal } = run;
  const isUnasked = UNASKED_MODES.includes(run.policy.landing);
  const isRepair = input.owner !== undefined && input.item === undefined;
  if (!isUnasked || isRepair || sourceOf(run) === null) return false;
  try {
    await controlHost().beginLanding({
      runId,
      workflowId: workflowInfo().workflowId,
      attended,
      owner: input.owner ?? null,
    });
    return true;
  } catch (err) {
    if (!(err instanceof ActivityFailure)) throw err;
    const why = err.cause?.message ?? err.message;
    journal.note('merge.changed', `its landing could not be asked for (${why}); by hand: sluice land ${runId}`, {
      why,
    });
    return false;
  }
}

type LastWords = Pick<CloseRunInput, 'outcome' | 'verdict' | 'verdictReasons'>;

/** `hurries`: it does not wait for a host that is away. */
async function writeReport(run: RunState, hurries: boolean, words: LastWords): Promise<CloseRunResult | null> {
  const { journal, open } = run;
  const host = closingHost(open.hostId, hurries);
  const close = () => {
    const input = { place: run.nextPlace(), run: run.ref, ...words };
    const summary = `close · ${words.outcome}`;
    return journal.carryBy((lines) => host.closeRun.executeWithOptions({ summary }, [{ ...input, journal: lines }]));
  };
  try {
    let closed = await close();
    // They are not in the file yet: the end is written once more. What stays as it is found is found again then.
    journal.observe(closed.observations);
    // A journal that a person deleted in the last stage is sent again, and one that does not fit at once goes on: nobody comes after this.
    for (let held = -1; closed.journalSeq < journal.all.length && closed.journalSeq > held; closed = await close())
      held = closed.journalSeq;
    return closed;
  } catch (err) {
    // The host of an aborted run may be gone for good, and one that cannot write the end changes no outcome.
    if (err instanceof ActivityFailure) return null;
    throw err;
  }
}

function resultOf(run: RunState, outcome: RunOutcome): Omit<RunResult, 'verdict' | 'report' | 'isLanding'> {
  const { branch, baseSha, headSha, blockedReason, error, merge } = run.view();
  const source = sourceOf(run);
  return {
    runId: run.runId,
    outcome,
    blockedReason,
    error,
    branch,
    baseSha,
    headSha,
    merge,
    source,
    document: source === null && run.steps === null ? run.facts.context.plan : null,
  };
}

function sourceOf(run: RunState): RunSource | null {
  const { opened, facts } = run;
  if (opened === null || run.head === opened.baseSha) return null;
  const { hostId: host, repoKey, frozen, baseBranch: branch, baseSha: sha } = opened;
  const { head } = run;
  // Checks of an earlier commit say nothing of what would land.
  const evidence = facts.evidence.validation === head ? facts.checked : null;
  return { host, repoKey, frozen, base: { branch, sha }, head, evidence };
}

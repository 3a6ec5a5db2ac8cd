/** The end of a run that was closed without its own closeRun: what its files lack is written, as `aborted`. */
import { join } from 'node:path';
import { MAX_JOURNAL_EVENTS } from '../../protocol/limits.js';
import type { RunEndedData, StateChangedData } from '../../protocol/messages/event-data.js';
import type { JournalEvent, Observation } from '../../protocol/messages/journal.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { checkTransition, isRunStatus, isTerminal, type RunStatus } from '../../protocol/run/lifecycle.js';
import { endCommands, leftObservations } from '../checks/own-commands.js';
import { readRef } from '../git/refs/read-ref.js';
import { readEvents } from '../journal/events-file.js';
import type { HostDeps } from '../unit/host-deps.js';
import { type ProjectionDeps, projectionOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import { toldWithoutValues } from '../unit/run-redactor.js';
import { publishClose } from './publish-close.js';

/** No run writes more. What stands behind them is somebody else's, and is moved beside the journal. */
const MAX_KNOWN_EVENTS = 10 * MAX_JOURNAL_EVENTS;

/**
 * `error`: why it ended, as one sentence. Idempotency: journal, then report, then the mark that the run is closed;
 * whatever was written before a failure is found and gone on from. A run whose journal has an end gets the report and the mark.
 */
export async function writeTerminatedEnd(
  deps: HostDeps & ProjectionDeps,
  run: RunOnHost,
  error: string,
): Promise<void> {
  const place = { dir: run.stateDir };
  await endCommands({ deps, workplace: run.workplace, place });
  const known = (await readEvents(join(run.record.runDir, 'events.jsonl'))).slice(0, MAX_KNOWN_EVENTS);
  const from = lastStatus(known);
  if (!isTerminal(from)) checkTransition(from, 'aborted', run.record.policy.stages);
  const events = missingEvents(known, {
    from,
    error,
    left: toldWithoutValues(run, leftObservations(place, { stage: null, seq: 0 })),
  });
  const view = abortedView(run, {
    host: deps.hostId,
    seq: known.length + events.length,
    error,
    title: titleIn(known) ?? titleOf(run.record.input),
    reviewLoopCount: roundsIn(known),
    updatedAt: lastMoment(known),
    // A repository that is gone or broken takes the change list with it, not the end.
    headSha: await readRef(run.record.repository.commonDir, `refs/heads/${run.record.branch}`).catch(() => null),
  });
  const projection = projectionOf(deps, run);
  await projection.open();
  const journal = { events, view, gates: null };
  await projection.journal(journal);
  await projection.expireGates(view.updatedAt);
  await publishClose(deps, run, { outcome: 'aborted', verdict: 'blocked', verdictReasons: [error], journal });
}

/** Now, but not before what the run wrote itself: the server's clock may be ahead of this host's, and an older view is never shown. */
function lastMoment(events: readonly JournalEvent[]): string {
  return events.reduce((latest, { timestamp }) => (timestamp > latest ? timestamp : latest), new Date().toISOString());
}

function titleIn(events: readonly JournalEvent[]): string | null {
  const title = events.findLast((event) => event.type === 'run.renamed')?.data['text'];
  return typeof title === 'string' ? title : null;
}

function roundsIn(events: readonly JournalEvent[]): number {
  return events.reduce(
    (most, { type, data: { round } }) =>
      type === 'state.changed' && typeof round === 'number' ? Math.max(most, round) : most,
    0,
  );
}

function lastStatus(events: readonly JournalEvent[]): RunStatus {
  const to = events.findLast((event) => event.type === 'state.changed')?.data['to'];
  return isRunStatus(to) ? to : 'created';
}

/** What the last commands left, and of the two last lines those that are not there: a full disk or a kill may have cut between them. */
function missingEvents(
  known: readonly JournalEvent[],
  { from, error, left }: { from: RunStatus; error: string; left: readonly Observation[] },
): readonly JournalEvent[] {
  const timestamp = new Date().toISOString();
  const changed: StateChangedData = { from, to: 'aborted', round: roundsIn(known) };
  const ended: RunEndedData = {
    outcome: 'aborted',
    blockedReason: null,
    stage: null,
    turn: null,
    errorClass: 'terminated',
    error,
    verdict: 'blocked',
  };
  const isEnded = from !== 'aborted' && isTerminal(from);
  const lines: readonly Observation[] = [
    ...left.filter((one) => known.every(({ message }) => message !== one.message)),
    ...(isTerminal(from)
      ? []
      : [{ timestamp, type: 'state.changed' as const, message: `${from} → aborted`, data: changed }]),
    ...(isEnded || known.at(-1)?.type === 'run.aborted'
      ? []
      : [{ timestamp, type: 'run.aborted' as const, message: error, data: ended }]),
  ];
  return lines.map((line, index) => ({ ...line, seq: known.length + index + 1 }));
}

type KnownEnd = Pick<RunView, 'host' | 'seq' | 'error' | 'title' | 'reviewLoopCount' | 'updatedAt' | 'headSha'>;

function resumedFrom({ rewound }: RunOnHost['record']): RunView['resumedFrom'] {
  return rewound && { sourceRunId: rewound.resumed.sourceRunId, fromStage: rewound.resumed.fromStage };
}

function abortedView({ record }: RunOnHost, end: KnownEnd): RunView {
  return {
    runId: record.runId,
    workflowId: record.workflowId,
    task: record.input.task,
    preset: record.policy.preset,
    status: 'aborted',
    outcome: 'aborted',
    stage: null,
    repo: record.repository.root,
    worktree: record.worktree,
    branch: record.branch,
    baseBranch: record.baseBranch,
    baseSha: record.baseSha,
    maxReviewLoops: record.policy.rounds,
    finalDecision: null,
    verification: null,
    pauseRequested: false,
    pausedAtStatus: null,
    pendingApprovalId: null,
    approvalRequestedFromStatus: null,
    waiting: null,
    blockedReason: null,
    resumedFrom: resumedFrom(record),
    merge: 'none',
    agent: null,
    startedAt: record.startedAt,
    ...end,
  };
}

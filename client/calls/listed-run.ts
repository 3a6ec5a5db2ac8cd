/** One run as visibility or the run's files show it: what `sluice list` prints, and what `[run]` is picked from. */

import type { RunView } from '../../protocol/messages/run-view.js';
import { isRunStatus, type RunStatus } from '../../protocol/run/lifecycle.js';
import { runIdOfWorkflow } from '../../protocol/run/run-id.js';
import type { ListedLanding } from './landing-calls.js';
import type { ListedExecution, VisibleRun } from './listed-execution.js';
import type { Retrying } from './retrying.js';

/** How Temporal sees one execution. */
export interface RunExecution {
  readonly runId: string;
  readonly workflowId: string;
  readonly type: string;
  /** `RUNNING`, `COMPLETED`, `FAILED`, `CANCELLED`, `TERMINATED`, `TIMED_OUT`. */
  readonly execution: string;
  readonly startedAt: string;
  readonly closedAt: string | null;
  /** Null while nothing fails again and again. */
  readonly retrying: Retrying | null;
}

/** The server dropped its history, or it is a run of another server. */
export const UNKNOWN_EXECUTION = 'UNKNOWN';

/** Shape: one line of `sluice list --json`. Unknown values are null. */
export interface ListedRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: RunStatus | null;
  readonly stage: string | null;
  /** What the run waits for; null when it works. */
  readonly waiting: string | null;
  /** Until when, where it is known. ISO 8601. */
  readonly waitingUntil: string | null;
  readonly since: string | null;
  /** Fix rounds that were begun. */
  readonly round: number | null;
  /** Unit: micro-dollars, when its status changed last; null where nobody told any. */
  readonly costMicroUsd: number | null;
  readonly title: string | null;
  readonly repo: string | null;
  readonly branch: string | null;
  /** Where it works; null before it opened. */
  readonly host: string | null;
  /** Null where no server was asked, `UNKNOWN_EXECUTION` where the server knows no such run: then all here is from its files. */
  readonly execution: string | null;
  /** It failed before it opened: its input, repository or config was refused, and nothing was started. */
  readonly refused: boolean;
  readonly startedAt: string;
  readonly closedAt: string | null;
  /** Visibility does not know it; `sluice list` asks for the open runs that it shows. */
  readonly retrying: Retrying | null;
  /** Its head is in its base, and it has no landing that says so. Looked at by `sluice list` alone. */
  readonly merged: boolean;
  /** What became of its head; null: nobody asked for it, or, outside `sluice list`, it was not looked at. */
  readonly landing: Pick<ListedLanding, 'merge' | 'base' | 'entry' | 'gate' | 'paused' | 'pull'> | null;
}

export function listedRun({ workflowId, execution, startTime, closeTime, memo = {} }: VisibleRun): ListedRun {
  const status = memo['status'];
  return {
    runId: runIdOfWorkflow(workflowId),
    workflowId,
    status: statusOf(isRunStatus(status) ? status : null, execution),
    stage: text(memo['stage']),
    waiting: waitingOf(memo['waiting'], 'kind'),
    waitingUntil: waitingOf(memo['waiting'], 'until'),
    since: text(memo['since']),
    round: count(memo['round']),
    costMicroUsd: count(memo['costMicroUsd']),
    title: text(memo['title']),
    repo: text(memo['repo']),
    branch: text(memo['branch']),
    host: text(memo['host']),
    execution,
    // A run writes its memo when it opens.
    refused: execution === 'FAILED' && !isRunStatus(status),
    startedAt: startTime.toISOString(),
    closedAt: closeTime?.toISOString() ?? null,
    merged: false,
    retrying: null,
    landing: null,
  };
}

/**
 * One entry a workflow id, for a run is its id: a reset leaves the execution that it ended in visibility.
 * Shape: newest first; where two began at once, the open one counts.
 */
export async function newestPerWorkflow(
  executions: AsyncIterable<ListedExecution> | Iterable<ListedExecution>,
  limit: number,
): Promise<readonly ListedRun[]> {
  const newest = new Map<string, ListedRun>();
  for await (const info of executions) {
    const run = listedRun({ ...info, execution: info.status.name });
    const known = newest.get(run.workflowId);
    if (known === undefined && newest.size >= limit) break;
    if (known === undefined || isNewer(run, known)) newest.set(run.workflowId, run);
  }
  return [...newest.values()].toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
}

function isNewer(run: ListedRun, known: ListedRun): boolean {
  if (run.startedAt !== known.startedAt) return run.startedAt > known.startedAt;
  return run.closedAt === null && known.closedAt !== null;
}

/** Whether a server was asked and knows nothing of it. */
export function isFromFiles({ execution }: { readonly execution?: string | null }): boolean {
  return execution === UNKNOWN_EXECUTION;
}

export function listedFromView(view: RunView): ListedRun {
  return {
    runId: view.runId,
    workflowId: view.workflowId,
    status: view.status,
    stage: view.stage,
    waiting: view.waiting?.kind ?? null,
    waitingUntil: view.waiting?.until ?? null,
    since: view.updatedAt,
    round: view.reviewLoopCount,
    costMicroUsd: null,
    title: view.title,
    repo: view.repo,
    branch: view.branch,
    host: view.host,
    execution: null,
    refused: false,
    startedAt: view.startedAt,
    closedAt: view.outcome === null ? null : view.updatedAt,
    merged: false,
    retrying: null,
    landing: null,
  };
}

/** An execution that was ended from outside never wrote its last memo. */
function statusOf(status: RunStatus | null, execution: string): RunStatus | null {
  switch (execution) {
    case 'FAILED':
    case 'TIMED_OUT':
      return 'failed';
    case 'CANCELLED':
    case 'TERMINATED':
      return 'aborted';
    default:
      return status;
  }
}

function waitingOf(value: unknown, part: 'kind' | 'until'): string | null {
  return typeof value === 'object' && value !== null && part in value
    ? text((value as Record<string, unknown>)[part])
    : null; // Just looked at.
}

function count(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

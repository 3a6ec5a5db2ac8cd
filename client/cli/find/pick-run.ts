/**
 * Which run does `[run]` mean? Any unambiguous part of an id, or nothing when only one can be meant.
 * Pure, so that every command that takes a run reads it in the same way.
 */
import { isTerminal, type RunStatus } from '../../../protocol/run/lifecycle.js';
import { isFromFiles } from '../../calls/listed-run.js';

export interface Candidate {
  readonly runId: string;
  readonly workflowId: string;
  /** Null where it is not known. */
  readonly status: RunStatus | null;
  readonly startedAt: string;
  /** As of `ListedRun`. */
  readonly execution?: string | null;
}

export type Pick<C extends Candidate> =
  | { readonly kind: 'one'; readonly run: C }
  | { readonly kind: 'none'; readonly asked: string | null }
  | { readonly kind: 'many'; readonly asked: string | null; readonly runs: readonly C[] };

/** An exact id wins, then a beginning, then any part. Without a part: the only run, or the only open one. */
export function pickRun<C extends Candidate>(asked: string | null, runs: readonly C[]): Pick<C> {
  if (asked === null) {
    const open = runs.filter((run) => run.status !== null && !isTerminal(run.status) && !isFromFiles(run));
    return answer(asked, runs.length === 1 || open.length === 0 ? runs : open);
  }
  const exact = runs.filter((run) => run.runId === asked || run.workflowId === asked);
  if (exact.length > 0) return answer(asked, exact);
  const beginning = runs.filter((run) => run.runId.startsWith(asked));
  if (beginning.length === 1) return answer(asked, beginning);
  return answer(
    asked,
    runs.filter((run) => run.runId.includes(asked) || run.workflowId.includes(asked)),
  );
}

function answer<C extends Candidate>(asked: string | null, runs: readonly C[]): Pick<C> {
  const [only] = runs;
  if (only === undefined) return { kind: 'none', asked };
  if (runs.length === 1) return { kind: 'one', run: only };
  return { kind: 'many', asked, runs: runs.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt)) };
}

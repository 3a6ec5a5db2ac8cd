/**
 * Which run does `[run]` mean? Any part of an id or a title that no other has, or nothing for the newest. Pure, so that every command that takes a
 * run reads it in the same way.
 */
import { isTerminal, type RunStatus } from '../../../protocol/run/lifecycle.js';
import { isFromFiles } from '../../calls/listed-run.js';

export interface Candidate {
  readonly runId: string;
  readonly workflowId: string;
  readonly title: string | null;
  /** Null where it is not known. */
  readonly status: RunStatus | null;
  readonly startedAt: string;
  /** As of `ListedRun`. */
  readonly execution?: string | null;
}

export type Pick<C extends Candidate> =
  | { readonly kind: 'one'; readonly run: C }
  | { readonly kind: 'none' }
  | { readonly kind: 'many'; readonly runs: readonly C[] };

/** The newest, as a name: what no name means too. */
export const LAST = '@last';

/** An exact id wins, then the number of a task, whose newest run it means, then a beginning, then any part, then a part of a title. Without a name: the newest of those that are open, else of all. */
export function pickRun<C extends Candidate>(asked: string | null, runs: readonly C[]): Pick<C> {
  if (asked === null || asked === LAST) {
    const [newest] = openFirst(runs);
    return newest === undefined ? { kind: 'none' } : { kind: 'one', run: newest };
  }
  const exact = runs.filter((run) => run.runId === asked || run.workflowId === asked);
  if (exact.length > 0) return answer(exact);
  const ofTask = runs.filter(({ runId }) => isRunOfTask(runId, asked));
  const [newest] = openFirst(ofTask);
  if (newest !== undefined) return areOfOne(ofTask) ? { kind: 'one', run: newest } : answer(ofTask);
  const beginning = runs.filter(({ runId }) => runId.startsWith(asked) && isPartOf(runId, asked));
  if (beginning.length === 1) return answer(beginning);
  const inside = runs.filter((run) => isPartOf(run.runId, asked) || isPartOf(run.workflowId, asked));
  return answer(inside.length > 0 ? inside : runs.filter(({ title }) => isIn(title, asked)));
}

/** A number is no part of a longer one: it may be that of a task that has no run. */
function isPartOf(id: string, asked: string): boolean {
  return id.split(/(?<=\D)(?=\d)|(?<=\d)(?=\D)/).includes(asked) || (!/^\d+$/.test(asked) && id.includes(asked));
}

/** Of any project. */
function isRunOfTask(runId: string, number: string): boolean {
  return /^\d+$/.test(number) && taskOf(runId).endsWith(`-${number}`);
}

function areOfOne(runs: readonly Candidate[]): boolean {
  return new Set(runs.map(({ runId }) => taskOf(runId))).size === 1;
}

/** Its first run is called as it is. */
function taskOf(runId: string): string {
  return runId.replace(/\.\d+$/, '');
}

/** Shape: open ones before closed ones, the newest first. */
export function openFirst<C extends Candidate>(runs: readonly C[]): readonly C[] {
  const newest = runs.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  return [...newest.filter(isOpen), ...newest.filter((run) => !isOpen(run))];
}

function isOpen(run: Candidate): boolean {
  return run.status !== null && !isTerminal(run.status) && !isFromFiles(run);
}

function isIn(title: string | null, asked: string): boolean {
  return title?.toLowerCase().includes(asked.toLowerCase()) === true;
}

function answer<C extends Candidate>(runs: readonly C[]): Pick<C> {
  const [only] = runs;
  if (only === undefined) return { kind: 'none' };
  return runs.length === 1 ? { kind: 'one', run: only } : { kind: 'many', runs: openFirst(runs) };
}

/** Counts what a fault cost three tasks of a backlog, of which the last ran twice, from git, folders and the agents' ledger. Pure. */
import type { ItemView } from '../../../../protocol/actors/item.js';

export const BACKLOG_COUNTS = [
  'lost',
  'doubled',
  'unreplayable',
  'numbers',
  'starts',
  'above',
  'slots',
  'commits',
  'branches',
  'files',
  'orphans',
  'answers',
] as const;

/** Each is 0 where each task was taken in once and ran as it is to. */
export type BacklogCounts = Readonly<Record<(typeof BACKLOG_COUNTS)[number], number>>;

export interface BacklogTraces {
  /** The first was done by a word, the second waited for it, the third ran twice. */
  readonly items: readonly ItemView[];
  /** Slots that are taken though nothing is at work. */
  readonly slots: number;
  /** Workflows of items. */
  readonly open: number;
  /** Workflows whose history no worker can load again. */
  readonly unreplayable: number;
  /** Folders of items on the host. */
  readonly numbers: number;
  /** Of each task's branch, beyond its base; -1 where the commit before a later run is not in its history any more. */
  readonly commits: readonly number[];
  readonly branches: number;
  /** Of agents. */
  readonly starts: number;
  /** Copies of the file that a person left in the worktree. */
  readonly kept: number;
  readonly living: number;
  /** Tasks that were planned after the answer of a person. */
  readonly answered: number;
}

const ENDS = ['closed forced 1', 'parked unmerged 1', 'parked unmerged 2'];
const COMMITS = [1, 1, 2];
/** Each task is judged twice and planned once; the last runs twice. */
const STARTS = 3 * 3 + 4;

export function countBacklog(traces: BacklogTraces): BacklogCounts {
  const ends = traces.items.map(({ state, reason, runs }) => `${state} ${reason} ${runs}`);
  return {
    lost: ENDS.filter((end, index) => ends[index] !== end).length,
    doubled: Math.max(0, traces.open - ENDS.length),
    numbers: Math.abs(traces.numbers - ENDS.length),
    starts: Math.abs(traces.starts - STARTS),
    above: countOverlaps(traces.items),
    slots: traces.slots,
    unreplayable: traces.unreplayable,
    commits: COMMITS.filter((count, index) => traces.commits[index] !== count).length,
    branches: Math.abs(traces.branches - ENDS.length),
    files: Math.abs(traces.kept - 1),
    orphans: traces.living,
    answers: ENDS.length - traces.answered,
  };
}

/** Times in which two tasks were at work, though one may be. */
function countOverlaps(items: readonly ItemView[]): number {
  const times = items.flatMap(({ journal }) =>
    journal.flatMap(({ to, at }, index) => (to === 'running' ? [{ from: at, to: journal[index + 1]?.at ?? at }] : [])),
  );
  return times.filter((one, index) =>
    times.slice(index + 1).some((other) => one.from < other.to && other.from < one.to),
  ).length;
}

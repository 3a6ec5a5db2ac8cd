/** Counts what a fault cost heads that land on a forge, from what its bare repository, its pull requests and its log say. Pure. */
import type { TrialCounts } from '../landing/trials.js';
import { countLanding } from '../landing/verdict.js';

/** The pull requests of one run. */
export interface LandedPull {
  readonly count: number;
  /** Of the first. */
  readonly labels: readonly string[];
  readonly comments: readonly string[];
  /** Null: it is not merged. */
  readonly merged: string | null;
  /** A person was faster. */
  readonly isTheirs: boolean;
  readonly head: string | null;
}

export interface ForgeTraces {
  readonly heads: readonly string[];
  /** First parents from the base's start, the newest first, each with all its parents. */
  readonly base: readonly (readonly string[])[];
  /** Heads in the history of the base. */
  readonly contained: readonly string[];
  readonly tree: string;
  readonly expectedTree: string;
  readonly pulls: readonly LandedPull[];
  /** That each is to have. */
  readonly labels: readonly string[];
  /** Commits of `base` whose tree no check has seen. */
  readonly unchecked: number;
  /** Landings that say something else than the forge does. */
  readonly wrong: number;
  /** Merges that were asked for and done. */
  readonly merges: number;
  /** Writes that were done once more. */
  readonly again: number;
  readonly changed: number;
  readonly living: number;
  /** Files that hold the token. */
  readonly leaks: number;
}

export function countForge(traces: ForgeTraces): TrialCounts {
  const { heads, pulls } = traces;
  // What a person pushed behind a head, and agreed to, is known too.
  const known = [...new Set([...heads, ...pulls.flatMap(({ head }) => head ?? [])])];
  const all = { ...NOTHING_LOCAL, ...traces };
  const { lost, twice, trees } = countLanding(all);
  const { foreign } = countLanding({ ...all, heads: known });
  return {
    lost,
    twice,
    trees,
    foreign,
    pulls: sum(pulls.map(({ count }) => Math.abs(count - 1))),
    labels: sum(pulls.map((pull) => differing(pull, traces.labels))),
    comments: sum(pulls.map(({ comments }) => comments.length - new Set(comments).size)),
    merges: Math.max(0, traces.merges - heads.length),
    again: traces.again,
    unchecked: traces.unchecked,
    wrong: traces.wrong,
    bytes: traces.changed,
    orphans: traces.living,
    leaks: traces.leaks,
  };
}

const NOTHING_LOCAL = { lostLinks: 0 } as const;

/** Of those that are there more often than once, or not at all where nobody merged it before it could have them. */
function differing({ labels, isTheirs }: LandedPull, expected: readonly string[]): number {
  const missing = isTheirs ? [] : expected.filter((one) => !labels.includes(one));
  return missing.length + labels.length - new Set(labels).size;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Counts what a fault cost two heads that land, from what git alone says of the base, the chain and the person's checkouts. Pure. */

export const LANDING_COUNTS = ['lost', 'twice', 'foreign', 'trees', 'links', 'wrong', 'bytes', 'orphans'] as const;

/** Each is 0 where both heads are on the base once, nothing else is, and nothing of the person's was touched. */
export type LandingCounts = Readonly<Record<(typeof LANDING_COUNTS)[number], number>>;

export interface LandingTraces {
  readonly heads: readonly string[];
  /** First parents from the base's start, the newest first, each with all its parents; the base, or the chain before it was taken. */
  readonly base: readonly (readonly string[])[];
  /** Heads in the history of the base. */
  readonly contained: readonly string[];
  readonly tree: string;
  /** Of a bare merge of the heads. */
  readonly expectedTree: string;
  /** Commits that the chain had once both were ready and that the base has not. */
  readonly lostLinks: number;
  /** Landings that say something else than the base does. */
  readonly wrong: number;
  /** Files of the person, and what their git says of their checkouts, that are not as they were. */
  readonly changed: number;
  readonly living: number;
}

export function countLanding(traces: LandingTraces): LandingCounts {
  const { heads, base, contained } = traces;
  // A head is a first parent itself, or the second parent of the merge that brought it.
  const brought = heads.map(
    (head) => base.filter(([commit, , ...others]) => [commit, ...others].includes(head)).length,
  );
  const known = base.filter(([commit, , ...others]) => [commit, ...others].some((one) => heads.includes(one ?? '')));
  return {
    lost: heads.filter((head) => !contained.includes(head)).length,
    twice: brought.reduce((sum, times) => sum + Math.max(0, times - 1), 0),
    foreign: base.length - known.length,
    trees: traces.tree === traces.expectedTree ? 0 : 1,
    links: traces.lostLinks,
    wrong: traces.wrong,
    bytes: traces.changed,
    orphans: traces.living,
  };
}

/**
 * What one night of landings is to be, drawn from a seed: which branches can land together, in which order they are asked for, and after how many landings a process dies or a person
 * commits. Pure: the same seed is the same night, however fast the machine is.
 */

export const BASES = ['night-1', 'night-2', 'night-3'] as const;
export type Base = (typeof BASES)[number];

/** A person's checkout stands on it, so its landings become a chain. */
export const BASE_IN_USE: Base = 'night-3';

const VICTIMS = ['worker', 'guard', 'server', 'engine', 'all'] as const;
export type Victim = (typeof VICTIMS)[number];

/** Of those that cannot land, once the first of their group has. */
const SHARE_OF_LOSERS = 0.3;
/** One of them lands. */
const GROUP = 4;
/** A kill for so many branches, a person's commit for so many. */
const BRANCHES_A_KILL = 8;
const BRANCHES_A_COMMIT = 12;

export interface PlannedBranch {
  readonly name: string;
  readonly base: Base;
  /** Of those of one group on one base one lands: the others are in conflict with it, or red beside it. */
  readonly kind: 'alone' | 'conflict' | 'red';
  readonly group: number | null;
}

export interface NightPlan {
  readonly seed: number;
  /** In the order in which they are asked for. */
  readonly branches: readonly PlannedBranch[];
  /** How many of them cannot land. */
  readonly losers: number;
  /** `after`: so many landings are settled. Ascending. */
  readonly strikes: readonly { readonly after: number; readonly victim: Victim }[];
  readonly commits: readonly { readonly after: number; readonly base: Base }[];
}

export function planNight(seed: number, count: number): NightPlan {
  const draw = drawerOf(seed);
  const losers = Math.round(count * SHARE_OF_LOSERS);
  const conflicts = Math.ceil(losers / 2);
  const grouped = [...groupsOf('conflict', conflicts, 0), ...groupsOf('red', losers - conflicts, conflicts)];
  const baseOf = new Map<number, Base>();
  const branches = Array.from({ length: count }, (_, n): PlannedBranch => {
    const member = grouped[n] ?? { kind: 'alone', group: null };
    const base = baseOf.get(member.group ?? -1) ?? pick(BASES, draw);
    if (member.group !== null) baseOf.set(member.group, base);
    return { name: `b${n}`, base, ...member };
  });
  const moments = (n: number) =>
    Array.from({ length: n }, () => Math.floor(draw() * count * 0.9)).toSorted((a, b) => a - b);
  return {
    seed,
    losers,
    branches: shuffled(branches, draw),
    strikes: moments(Math.ceil(count / BRANCHES_A_KILL)).map((after) => ({ after, victim: pick(VICTIMS, draw) })),
    commits: moments(Math.ceil(count / BRANCHES_A_COMMIT)).map((after) => ({ after, base: pick(BASES, draw) })),
  };
}

type Member = Pick<PlannedBranch, 'kind' | 'group'>;

function groupsOf(kind: 'conflict' | 'red', losers: number, first: number): readonly Member[] {
  const members: Member[] = [];
  for (let left = losers, group = first; left > 0; left -= GROUP - 1, group += 1)
    members.push(...Array.from({ length: Math.min(left, GROUP - 1) + 1 }, () => ({ kind, group })));
  return members;
}

function pick<T>(of: readonly [T, ...T[]], draw: () => number): T {
  return of[Math.floor(draw() * of.length)] ?? of[0];
}

function shuffled<T>(all: readonly T[], draw: () => number): readonly T[] {
  return all
    .map((one) => ({ one, at: draw() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** mulberry32. Answers numbers from 0 to below 1. */
function drawerOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

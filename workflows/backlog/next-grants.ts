/** Which of the items that are queued may start now, and what the others wait for. Pure. Source: S-54, S-55, V-132. */
import type { WaitsFor } from '../../protocol/actors/backlog.js';
import { mayOverlap } from '../../protocol/actors/task-links.js';
import type { BacklogState } from './backlog-state.js';
import { hasSlot, isAtWork, isWaiting, type Row } from './rows.js';

type Index = Pick<BacklogState, 'rows' | 'terms' | 'isPaused' | 'unstarted' | 'unheard'>;

/** In their order. A slot belongs to whoever was granted one until that says otherwise. */
export function nextGrants(index: Index): readonly Row[] {
  const { rows, terms, isPaused, unheard } = index;
  // Of those who have not told each may be at work.
  const free = unheard === null ? 0 : terms.maxConcurrent - rows.sums.slots - unheard.length;
  if (isPaused || free <= 0 || rows.sums.waiting === 0) return [];
  const ready = readyIn(index);
  const notThere = new Set(index.unstarted.map(({ id }) => id));
  const queued = rows.all.filter((row) => isWaiting(row) && !notThere.has(row.id));
  let atWork = rows.all.filter(hasSlot);
  const granted: Row[] = [];
  let holders = rows.all.filter(isAtWork);
  while (granted.length < free) {
    const waiting = ordered(terms.order, atWork, queued).filter((row) => !granted.includes(row));
    const next = waiting.find((row) => holdOf({ ready, terms, holders }, row) === null);
    if (next === undefined) break;
    granted.push(next);
    // What it touches, and whose it is, counts for those behind it.
    atWork = [...atWork, next];
    holders = [...holders, next];
  }
  return granted;
}

export interface Holding extends Pick<Index, 'terms'> {
  /** Of files. */
  readonly holders: readonly Row[];
  /** By id, the run whose change waits in the chain. */
  readonly ready: ReadonlyMap<string, string>;
}

/** A run from the tip begins behind what is ready, and has it. */
export function readyIn({ rows, terms }: Pick<Index, 'rows' | 'terms'>): ReadonlyMap<string, string> {
  const there = terms.from === 'tip' ? rows.all.filter((row) => row.ready !== null) : [];
  return new Map(there.map(({ id, ready }) => [id, ready ?? '']));
}

/** Of what it depends on, what is not on its base yet. */
export function behindOf(ready: ReadonlyMap<string, string>, { needs }: Row): readonly string[] {
  return needs.flatMap((id) => ready.get(id) ?? []);
}

/** Null: it may start as soon as a slot is free. */
function holdOf({ ready, terms, holders }: Holding, row: Row): WaitsFor | null {
  if (row.held) return { kind: 'hold', holder: null };
  const dependency = row.needs.find((id) => !ready.has(id));
  if (dependency !== undefined) return { kind: 'dependency', holder: dependency };
  const [holder] = terms.conflicts === 'block' ? meetingOf(holders, row) : [];
  return holder === undefined ? null : { kind: 'files', holder };
}

/** The first that holds. Null: it does not wait. */
export function waitsFor(
  { isPaused, unheard, slots, ...index }: Holding & Pick<Index, 'isPaused' | 'unheard'> & { readonly slots: number },
  row: Row,
): WaitsFor | null {
  if (row.state !== 'queued' || hasSlot(row)) return null;
  if (isPaused) return { kind: 'pause', holder: null };
  if (unheard === null) return { kind: 'news', holder: null };
  const [silent] = unheard;
  if (silent !== undefined && slots + unheard.length >= index.terms.maxConcurrent)
    return { kind: 'news', holder: silent };
  return holdOf(index, row) ?? { kind: 'slot', holder: null };
}

/** Ids of those that may touch a file of it. */
export function meetingOf(holders: readonly Row[], { id, files }: Row): readonly string[] {
  if (files.length === 0) return [];
  const meets = (other: Row) => other.files.some((one) => files.some((mine) => mayOverlap(mine, one)));
  return holders.filter((other) => other.id !== id && meets(other)).map((other) => other.id);
}

/** The numbers of two items are never the same. */
export function ordered(order: Index['terms']['order'], atWork: readonly Row[], some: readonly Row[]): readonly Row[] {
  const busy = new Map<string | null, number>();
  for (const { by } of atWork) busy.set(by, (busy.get(by) ?? 0) + 1);
  const before = (one: Row, other: Row): number => {
    if (order === 'priority') return other.priority - one.priority;
    return order === 'fair' ? (busy.get(one.by) ?? 0) - (busy.get(other.by) ?? 0) : 0;
  };
  return some.toSorted(
    (one, other) => before(one, other) || one.since - other.since || Number(one.id) - Number(other.id),
  );
}

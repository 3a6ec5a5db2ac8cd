/** Which of the items that are queued may start now, and what the others wait for. Pure. Source: S-54, S-55, V-132. */
import type { WaitsFor } from '../../protocol/actors/backlog.js';
import { mayOverlap } from '../../protocol/actors/task-links.js';
import type { BacklogState, Row } from './backlog-state.js';

type Index = Pick<BacklogState, 'rows' | 'terms' | 'isPaused' | 'unstarted' | 'unheard'>;

/** In their order. A slot belongs to whoever was granted one until that says otherwise. */
export function nextGrants(index: Index): readonly Row[] {
  const { rows, terms, isPaused, unheard } = index;
  // Some may be at work of which nothing is known.
  const mayStart = !isPaused && unheard?.length === 0;
  const granted: Row[] = [];
  let atWork = rows.filter(hasSlot);
  while (mayStart && atWork.length < terms.maxConcurrent) {
    const waiting = ordered(terms.order, atWork, queuedOf(index)).filter((row) => !granted.includes(row));
    const next = waiting.find((row) => holdOf({ rows, terms, atWork }, row) === null);
    if (next === undefined) break;
    granted.push(next);
    // What it touches, and whose it is, counts for those behind it.
    atWork = [...atWork, next];
  }
  return granted;
}

export function hasSlot({ slot, grant }: Row): boolean {
  return slot || grant !== null;
}

/** Those that have no slot, in no order. */
export function queuedOf({ rows, unstarted }: Pick<Index, 'rows' | 'unstarted'>): readonly Row[] {
  const notThere = new Set(unstarted.map(({ id }) => id));
  return rows.filter((row) => row.state === 'queued' && !hasSlot(row) && !notThere.has(row.id));
}

interface Holding extends Pick<Index, 'rows' | 'terms'> {
  readonly atWork: readonly Row[];
}

/** Null: it may start as soon as a slot is free. */
function holdOf({ rows, terms, atWork }: Holding, row: Row): WaitsFor | null {
  // A run from the tip begins behind what is ready, and has it.
  const isReady = (id: string) => terms.from === 'tip' && rows.some((other) => other.id === id && other.ready);
  const dependency = row.needs.find((id) => !isReady(id));
  if (dependency !== undefined) return { kind: 'dependency', holder: dependency };
  const [holder] = terms.conflicts === 'block' ? meetingOf(atWork, row) : [];
  return holder === undefined ? null : { kind: 'files', holder };
}

/** The first that holds. Null: it does not wait. */
export function waitsFor(
  { isPaused, unheard, ...index }: Holding & Pick<Index, 'isPaused' | 'unheard'>,
  row: Row,
): WaitsFor | null {
  if (row.state !== 'queued' || hasSlot(row)) return null;
  if (isPaused) return { kind: 'pause', holder: null };
  if (unheard?.length !== 0) return { kind: 'news', holder: unheard?.[0] ?? null };
  return holdOf(index, row) ?? { kind: 'slot', holder: null };
}

/** Ids of those at work that may touch a file of it. */
export function meetingOf(atWork: readonly Row[], { id, files }: Row): readonly string[] {
  if (files.length === 0) return [];
  const meets = (other: Row) => other.files.some((one) => files.some((mine) => mayOverlap(mine, one)));
  return atWork.filter((other) => other.id !== id && meets(other)).map((other) => other.id);
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

/** Which of the items that are queued may start now, and what the others wait for. Pure. Source: S-54, S-55, V-132. */
import type { WaitsFor } from '../../protocol/actors/backlog.js';
import type { Order } from '../../protocol/run/backlog-policy.js';
import type { BacklogState, Row } from './backlog-state.js';

type Index = Pick<BacklogState, 'rows' | 'terms' | 'isPaused' | 'unstarted'>;

/** In their order. A slot belongs to whoever was granted one until that says otherwise. */
export function nextGrants(index: Index): readonly Row[] {
  if (index.isPaused) return [];
  const free = index.terms.maxConcurrent - slotsOf(index);
  return free <= 0 ? [] : queuedOf(index).slice(0, free);
}

export function slotsOf({ rows }: Pick<Index, 'rows'>): number {
  return rows.filter(hasSlot).length;
}

export function hasSlot({ slot, grant }: Row): boolean {
  return slot || grant !== null;
}

/** Those that wait for a slot, the next first. */
export function queuedOf({ rows, terms, unstarted }: Index): readonly Row[] {
  const notThere = new Set(unstarted.map(({ id }) => id));
  const waiting = rows.filter((row) => row.state === 'queued' && !hasSlot(row) && !notThere.has(row.id));
  return waiting.toSorted((one, other) => compare(terms.order, one, other));
}

/** Null: it does not wait. */
export function waitsFor(index: Index, row: Row): WaitsFor | null {
  if (row.state !== 'queued' || hasSlot(row)) return null;
  return index.isPaused ? 'pause' : 'slot';
}

/** The numbers of two items are never the same. */
export function compare(order: Order, one: Row, other: Row): number {
  const byPriority = order === 'priority' ? other.priority - one.priority : 0;
  return byPriority || one.since - other.since || Number(one.id) - Number(other.id);
}

/** Which tasks wait for which: one is met once it is done, and one that ends otherwise parks whoever waits for it. Pure. Source: V-132. */
import {
  DONE_REASONS,
  type ItemFound,
  type ItemReason,
  itemWorkflowId,
  type LostBy,
} from '../../protocol/actors/item.js';
import type { BacklogErrand, BacklogState, BacklogStep } from './backlog-state.js';
import { isAtWork, knownRow, type Row, type Rows } from './rows.js';

/** Of what a row needs by its item's own word, what is not known to be done. Of what somebody said anew nothing is known. */
export function unmetOf(known: Row | undefined, { needs, linked }: Pick<Row, 'needs' | 'linked'>): readonly string[] {
  return known === undefined || known.linked !== linked ? needs : needs.filter((id) => known.needs.includes(id));
}

/** Of those that a row waits for, the first that waits for it in the end. What is at work waits for nothing. Null: there is none. */
export function circleOf(rows: Rows, { id, needs }: Pick<Row, 'id' | 'needs'>): string | null {
  const seen = new Set<string>();
  const isWaitedFor = (first: string): boolean => {
    const left = [first];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next === id) return true;
      const row = seen.has(next) ? undefined : rows.find(next);
      seen.add(next);
      if (row !== undefined && !isAtWork(row)) left.push(...row.needs);
    }
    return false;
  };
  return needs.find(isWaitedFor) ?? null;
}

/** Asks the server for each task that a row waits for and the index has not: it is closed, or nobody knows it. One that is being started tells by itself. */
export function seekNeeds(
  { project, rows, unstarted }: BacklogState,
  needs: readonly string[],
): readonly BacklogErrand[] {
  return [...new Set(needs)]
    .filter((id) => rows.find(id) === undefined && !unstarted.some((one) => one.id === id))
    .map((id) => ({ kind: 'lookAtItem', workflowId: itemWorkflowId({ project, id }), id, topic: 'look' }));
}

/** Nobody is there to be told that it stands in the index or not: who waits for it wants to know why. */
export function seekIfNeeded(state: BacklogState, id: string): BacklogStep {
  const isNeeded = state.rows.all.some(({ needs }) => needs.includes(id));
  return { state, errands: isNeeded ? seekNeeds(state, [id]) : [] };
}

/** An item is closed: who waited for it goes on, or hears that it waits in vain. */
export function settle(state: BacklogState, id: string, reason: ItemReason | null): BacklogStep {
  const waiting = state.rows.all.filter(({ needs }) => needs.includes(id));
  if (DONE_REASONS.includes(reason)) {
    const without = (row: Row) =>
      knownRow(
        row,
        row.needs.filter((one) => one !== id),
        row,
      );
    const rows = waiting.reduce((all, row) => all.with(without(row)), state.rows);
    return { state: { ...state, rows }, errands: [] };
  }
  return { state, errands: waiting.map((row) => failOf(state, row.id, { id, reason })) };
}

interface Lost {
  /** Of the dependency. */
  readonly id: string;
  readonly reason: LostBy | null;
}

export function failOf({ project }: BacklogState, id: string, lost: Lost): BacklogErrand {
  const workflowId = itemWorkflowId({ project, id });
  return { kind: 'failDependency', workflowId, id, dependency: lost.id, reason: lost.reason };
}

/** One that is there after all tells how it stands by itself. */
export function readFound(state: BacklogState, id: string, found: ItemFound): BacklogStep {
  if (found.kind === 'open' || state.rows.find(id) !== undefined) return { state, errands: [] };
  return settle(state, id, found.kind === 'closed' ? found.reason : null);
}

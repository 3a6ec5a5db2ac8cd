/** What a backlog knows of an item: its whole row, told whenever it changes. Pure. */
import { backlogId } from '../../protocol/actors/backlog.js';
import type { ItemRow } from '../../protocol/actors/item.js';
import { hasSlot, headOf } from './after-run.js';
import type { Moved } from './item-resting.js';
import type { ItemState, ItemStep } from './item-state.js';

/** Its whole row, as its backlog is to know it. */
export function rowOf(item: ItemState): ItemRow {
  const { version, state, reason, since, runs, needs, linked, priority, files, isHeld: held } = item;
  const { id, by } = item.input;
  const ready = headOf(item) === 'ready' ? (item.result?.runId ?? null) : null;
  return {
    id,
    version,
    state,
    reason,
    slot: hasSlot(item),
    since,
    runs,
    priority,
    ready,
    needs,
    linked,
    files,
    held,
    by,
  };
}

/** Asks for a report of a row that did not change. */
export function report(state: ItemState): Moved {
  return { state, errands: [], isAsked: true };
}

/** Whatever changes its row is news for its backlog. */
export function reported(before: ItemState, { state, errands, isAsked }: Moved, now: number): ItemStep {
  if (isAsked !== true && isSame(rowOf(before), rowOf(state))) return { state, errands };
  const told = { ...state, version: Math.max(before.version + 1, state.version + 1, now), updatedAt: now };
  const { project } = state.input;
  const news = { kind: 'report', workflowId: backlogId(project), topic: 'report', project, row: rowOf(told) } as const;
  return { state: told, errands: [...errands, news] };
}

function isSame(one: ItemRow, other: ItemRow): boolean {
  return (['state', 'slot', 'runs', 'since', 'ready', 'needs', 'linked', 'priority', 'files', 'held'] as const).every(
    (field) => one[field] === other[field],
  );
}

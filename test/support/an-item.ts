/** An item as its table has it, of which a test says what it is about. */
import type { ItemInput } from '../../protocol/actors/item.js';
import type { ItemState } from '../../workflows/item/item-state.js';
import { newItem } from '../../workflows/item/item-table.js';

export function anItemInput(part: Partial<ItemInput> = {}): ItemInput {
  return {
    project: 'shop',
    id: '1',
    key: 'k#1',
    host: 'h1',
    repo: '/shop',
    repoKey: 'k',
    title: 'one',
    hash: 'h',
    attended: false,
    priority: 0,
    dependsOn: [],
    files: [],
    gate: null,
    admission: null,
    createdAt: '2026-11-26T10:00:00.000Z',
    by: 'ann',
    parkedDays: 30,
    slotUntil: 'run',
    kind: 'change',
    again: null,
    ...part,
  };
}

export function anItem(part: Partial<ItemState> = {}): ItemState {
  return { ...newItem(anItemInput()), ...part };
}

/** How an item comes from one state to another. Pure. */
import type { ItemTransition } from '../../protocol/actors/item.js';
import type { ItemState } from './item-state.js';

type Line = Omit<ItemTransition, 'at' | 'from' | 'reason'> & Partial<Pick<ItemTransition, 'reason'>>;

export const BY_ENGINE = { driver: 'engine', actor: null, note: null } as const;

/** What is older stands in the files of the item. */
const MAX_LINES = 200;

/** The only way to another state: it leaves a line of the journal. Source: S-02. */
export function move(state: ItemState, { to, reason = null, driver, actor, note }: Line, now: number): ItemState {
  const line = { at: new Date(now).toISOString(), from: state.state, to, reason, driver, actor, note };
  return { ...state, state: to, reason, journal: [...state.journal, line].slice(-MAX_LINES) };
}

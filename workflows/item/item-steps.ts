/** How an item comes from one state to another. Pure. */
import type { ItemTransition } from '../../protocol/actors/item.js';
import { firstWait, LOST_WORD } from '../actor/back-off.js';
import type { ItemState, ItemStep } from './item-state.js';

export type Line = Omit<ItemTransition, 'at' | 'from' | 'reason'> & Partial<Pick<ItemTransition, 'reason'>>;

export const BY_ENGINE = { driver: 'engine', actor: null, note: null } as const;

/** What is older stands in the files of the item. */
const MAX_LINES = 200;

type Note = Omit<ItemTransition, 'at' | 'from' | 'to' | 'reason'>;

/** A line of the journal about what changes where it is. */
export function noteDown(state: ItemState, said: Note, now: number): ItemState {
  return move(state, { to: state.state, reason: state.reason, ...said }, now);
}

/** A pause holds until then, whatever else is found out or said meanwhile. */
export const BEFORE_ITS_RUN: readonly ItemState['state'][] = ['admitting', 'clarifying', 'gated', 'queued'];

/** The only way to another state: it leaves a line of the journal. Source: S-02. */
export function move(state: ItemState, { to, reason = null, ...said }: Line, now: number): ItemState {
  const { driver, actor, note, decided } = said;
  const told = decided === undefined ? {} : { decided };
  const line = { at: new Date(now).toISOString(), from: state.state, to, reason, driver, actor, note, ...told };
  const isHeld = state.isHeld && BEFORE_ITS_RUN.includes(to);
  return { ...state, state: to, reason, isHeld, journal: [...state.journal, line].slice(-MAX_LINES) };
}

export function lookLater(now: number): ItemState['look'] {
  return firstWait(LOST_WORD, now);
}

export function rest(state: ItemState): ItemStep {
  return { state, errands: [] };
}

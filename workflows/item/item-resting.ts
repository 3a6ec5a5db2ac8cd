/** What becomes of an item that rests: how long it is parked, and when it looks for the landing that holds its slot. Pure. Source: S-58, S-88. */
import { hasSlot } from './after-run.js';
import type { ItemState, ItemStep } from './item-state.js';
import { BY_ENGINE, lookLater, move } from './item-steps.js';

/** `isAsked`: its backlog hears how it stands though nothing changed. */
export interface Moved extends ItemStep {
  readonly isAsked?: true;
}

/** Where no run is under way: how long it is parked, and whether the landing that holds its slot is looked at. */
export function resting(before: ItemState, moved: Moved, now: number): Moved {
  const { state } = moved;
  if (state.state !== 'parked') return expiring(before, moved, now);
  const look = hasSlot(state) ? (state.look ?? lookLater(now)) : null;
  return expiring(before, { ...moved, state: { ...state, look } }, now);
}

/** Of a task that is parked and nobody takes up; what waits to be merged waits for others. Source: S-88. */
function expiring(before: ItemState, moved: Moved, now: number): Moved {
  const { state } = moved;
  if (state.state !== 'parked' || state.reason === 'unmerged')
    return { ...moved, state: { ...state, expiresAt: null } };
  const { input, expiresAt } = state;
  if (before.state !== 'parked' || expiresAt === null)
    return { ...moved, state: { ...state, expiresAt: now + input.parkedDays * DAY_MS } };
  if (now < expiresAt) return moved;
  const note = `nobody took it up for ${input.parkedDays} days`;
  return {
    ...moved,
    state: { ...move(state, { to: 'closed', reason: 'expired', ...BY_ENGINE, note }, now), look: null },
  };
}

const DAY_MS = 24 * 60 * 60_000;

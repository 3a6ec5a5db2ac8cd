/** Which message an item takes in which state: one table, the same for an Update and a Signal. What it refuses names the state and what can be done. Pure. Source: S-03, S-53, S-87, S-89. */
import { ITEM_UPDATES, type ItemMessageName, type ItemStateName } from '../../protocol/actors/item.js';
import { accepted, type Judgement, refused, unchanged } from '../inbox/inbox.js';
import type { ItemEvent, ItemState } from './item-state.js';

/** Where each is taken. */
export const TAKEN: Readonly<Record<ItemMessageName, readonly ItemStateName[]>> = {
  approve: ['gated'],
  reject: ['gated', 'queued', 'parked'],
  run: ['parked'],
  stop: ['queued', 'running'],
  pause: ['gated', 'queued', 'running'],
  resume: ['gated', 'queued', 'running'],
  set: ['gated', 'queued', 'running', 'parked'],
  done: ['gated', 'queued', 'running', 'parked'],
  remove: ['gated', 'queued', 'parked'],
};

const ANSWERS: Readonly<Record<ItemMessageName, string>> = {
  approve: 'it is in the queue',
  reject: 'it is closed, rejected',
  run: 'it is in the queue, and goes on where its last run ended',
  stop: 'it is parked',
  pause: 'it does not start until it is resumed',
  resume: 'it is not paused any more',
  set: 'it is noted',
  done: 'it is closed, done',
  remove: 'it is closed, deleted',
};

export function judgeItem(state: ItemState, event: ItemEvent): Judgement {
  const name = ITEM_UPDATES.find((known) => known === event.kind);
  if (name === undefined) return accepted('it is noted');
  const { run, wanted } = state;
  if (event.kind === 'set' && event.changes.dependsOn?.includes(state.input.id) === true)
    return refused('it cannot wait for itself; name other tasks');
  if (name === 'stop' && state.state === 'parked') return unchanged('it is parked already');
  if (wanted !== null && wanted.driver === name) return unchanged('its run is being ended already');
  // While its run is being started it is as good as running.
  const at = run === null ? state.state : 'running';
  if (isSaid(name, state) && TAKEN[name].includes(at))
    return unchanged(name === 'pause' ? 'it is paused already' : 'it is not paused');
  if (name === 'run' && at === 'queued') return unchanged('it is in the queue already');
  if (name === 'run' && at === 'running' && wanted === null) return unchanged('it runs already');
  if (TAKEN[name].includes(at)) return accepted(answerOf(name, run !== null));
  return refused(`it is ${wordOf(state, at)}; ${helpFor(name, at)}`);
}

function answerOf(name: ItemMessageName, isAtWork: boolean): string {
  return (isAtWork ? AT_WORK[name] : null) ?? ANSWERS[name];
}

const AT_WORK: Partial<Record<ItemMessageName, string>> = {
  stop: 'its run is being ended; then it is parked',
  done: 'its run is being ended; then it is closed, done',
  pause: 'its run is asked to pause, and does so at its next stage',
  resume: 'its run is asked to go on',
};

/** Where a word about a pause says what is so already. A run that was asked to pause may not have got there. */
function isSaid(name: ItemMessageName, { run, isHeld }: ItemState): boolean {
  if (name === 'pause') return run === null ? isHeld : run.word === 'paused';
  return name === 'resume' && run === null && !isHeld;
}

function wordOf({ reason }: ItemState, at: ItemStateName): string {
  return reason === null ? at : `${at} (${reason.replaceAll('_', ' ')})`;
}

function helpFor(name: ItemMessageName, at: ItemStateName): string {
  if (at === 'running' && (name === 'reject' || name === 'remove')) return 'stop it first';
  const able = ITEM_UPDATES.filter((known) => TAKEN[known].includes(at));
  return able.length === 0 ? 'it takes no messages any more' : `it takes ${able.join(', ')}`;
}

/** What people say of an item: it starts, waits, goes on, is said anew, ends. Pure. Source: S-03, S-53, S-87. */
import type { ItemMessage, ItemMessageName, ItemWord } from '../../protocol/actors/item.js';
import { MAX_NOTE_CHARS } from '../../protocol/actors/item.js';
import type { AnswerWord, ApproveWord } from '../../protocol/actors/item-admission.js';
import { landingId } from '../../protocol/names.js';
import { approve, goOnAdmitting, isUnadmitted, takeAnswers } from './item-admission.js';
import type { ItemErrand, ItemState, ItemStep, Wanted } from './item-state.js';
import { type Line, move, noteDown, rest } from './item-steps.js';
import { decidedAs, queued } from './route-item.js';

type SetWord = Extract<ItemMessage, { kind: 'set' }>;

/** One that its judge has taken. */
export function hearWord(state: ItemState, word: ItemWord | ApproveWord | AnswerWord | SetWord, now: number): ItemStep {
  const who = { actor: word.by, note: word.note };
  switch (word.kind) {
    case 'approve':
      return approve(state, word, now);
    case 'answer':
      return takeAnswers(state, word, now);
    case 'run':
      return withoutLanding(state, runAgain(state, who, now));
    case 'reject':
    case 'remove': {
      const decided = word.kind === 'reject' ? { decided: decidedAs(state, word.as ?? 'unverified') } : {};
      return withoutLanding(state, rest(close(state, { driver: word.kind, ...who, ...decided }, now)));
    }
    case 'pause':
    case 'resume':
      return hold(state, { driver: word.kind, ...who }, now);
    case 'set':
      return rest(set(state, word, now));
    case 'stop':
    case 'done':
      return withoutLanding(state, end(state, wantedBy(word.kind, who), now));
  }
}

interface Said {
  readonly actor: string | null;
  readonly note: string | null;
}

/** Before its run; then that is told, which pauses at its next stage. */
function hold(
  state: ItemState,
  { driver, ...who }: Said & { readonly driver: 'pause' | 'resume' },
  now: number,
): ItemStep {
  const noted = noteDown(state, { driver, ...who }, now);
  const isHeld = driver === 'pause' && state.run?.word == null;
  if (state.run === null) return rest({ ...noted, isHeld });
  const argument = { by: who.actor };
  return {
    state: { ...noted, isHeld },
    errands: [{ kind: 'tellRun', workflowId: state.run.runId, name: driver, argument }],
  };
}

/** What it waits for counts when it starts the next time; what it touches, at once. */
function set(state: ItemState, { changes, ...who }: SetWord, now: number): ItemState {
  const { priority, dependsOn, files } = changes;
  const words = [
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(dependsOn === undefined ? [] : [`after ${dependsOn.join(', ') || 'none'}`]),
    ...(files === undefined ? [] : [`files ${files.join(', ') || 'none'}`]),
  ];
  const note = [...words, ...(who.note === null ? [] : [who.note])].join('; ').slice(0, MAX_NOTE_CHARS);
  return {
    ...noteDown(state, { driver: 'set', actor: who.by, note }, now),
    ...(priority === undefined ? {} : { priority }),
    ...(dependsOn === undefined ? {} : { needs: dependsOn, linked: Math.max(state.linked + 1, now), lost: null }),
    ...(files === undefined ? {} : { files }),
  };
}

/** Whoever says so of a task whose dependency failed wants it without that one. */
function runAgain(state: ItemState, who: Said, now: number): ItemStep {
  const needs = state.needs.filter((id) => id !== state.lost);
  const wanted = { ...state, needs, lost: null };
  if (isUnadmitted(state)) return goOnAdmitting(wanted, { driver: 'run', ...who }, now);
  return rest(queued(move(wanted, { to: 'queued', driver: 'run', ...who }, now), now));
}

/** What a person decides about a change that waits to be landed: it lands no more. */
function withoutLanding(before: ItemState, step: ItemStep): ItemStep {
  if (before.state !== 'parked' || before.reason !== 'unmerged' || step.state.state === 'parked') return step;
  return { ...step, errands: [...step.errands, ...stopLanding(step.state)] };
}

/** Of its last run; where none is under way nobody hears it. */
export function stopLanding({ input, state, reason, result }: ItemState): readonly ItemErrand[] {
  if (result?.outcome !== 'merge_ready') return [];
  const how = state === 'parked' && reason !== null ? reason : state;
  return [abort(landingId(result.runId), `its task ${input.project}-${input.id} is ${how}`)];
}

const CLOSED_BY = { reject: 'rejected', remove: 'deleted' } as const;

function close(
  state: ItemState,
  { driver, ...who }: Said & Pick<Line, 'decided'> & { readonly driver: keyof typeof CLOSED_BY },
  now: number,
) {
  return { ...move(state, { to: 'closed', reason: CLOSED_BY[driver], driver, ...who }, now), look: null };
}

function wantedBy(driver: Extract<ItemMessageName, 'stop' | 'done'>, who: Said): Wanted {
  return driver === 'stop'
    ? { to: 'parked', reason: 'stopped', driver, ...who }
    : { to: 'closed', reason: 'forced', driver, ...who };
}

/** At once where no run is under way, else when that has ended. Source: S-87. */
function end(state: ItemState, wanted: Wanted, now: number): ItemStep {
  const { run } = state;
  if (run === null) return rest({ ...move(state, wanted, now), look: null });
  return { state: { ...state, wanted }, errands: [endingOf(run.runId, wanted)] };
}

export function endingOf(runId: string, { driver, actor }: Wanted): ItemErrand {
  return abort(runId, `${driver} of its task${actor === null ? '' : ` by ${actor}`}`);
}

function abort(workflowId: string, reason: string): ItemErrand {
  return { kind: 'tellRun', workflowId, name: 'abort', argument: { by: null, reason } };
}

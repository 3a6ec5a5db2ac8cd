/** What follows the end of a run: one pure table over its outcome, unless a person wants something else of its item. Source: S-78, S-81, docs/states.md. */
import type { HeadState, ItemReason, ItemResult } from '../../protocol/actors/item.js';
import type { RunOutcome } from '../../protocol/run/outcomes.js';
import { FREES_SLOT } from '../../protocol/run/run-word.js';
import type { ItemState, RunFate } from './item-state.js';
import { BY_ENGINE, move } from './item-steps.js';

const PARKED_BY: Readonly<Record<RunOutcome, ItemReason>> = {
  merge_ready: 'unmerged',
  no_changes: 'no_commits',
  blocked: 'blocked',
  failed: 'executor_error',
  aborted: 'stopped',
};

/** Of a run that ended without an error and changed nothing there is nothing to land. */
function reasonOf({ outcome, hasChange, failure }: ItemResult): ItemReason {
  if (outcome === 'failed' && failure !== undefined) return failure;
  return outcome === 'merge_ready' && !hasChange ? 'no_commits' : PARKED_BY[outcome];
}

/** What was asked for lies in its run's files. Source: S-81. */
function isAnswer({ input, admission }: ItemState, { outcome, hasChange, document }: ItemResult): boolean {
  const onlyLooks = admission?.plan?.kind === 'ok' && admission.plan.plan.readsOnly;
  const isWell = input.kind === 'answer' ? outcome === 'merge_ready' : onlyLooks && outcome === 'no_changes';
  return isWell && !hasChange && document !== null;
}

/** Its slot is free. */
export function endOf(state: ItemState, fate: RunFate, now: number): ItemState {
  const result = fate.kind === 'ended' ? fate.result : state.result;
  const ended = { ...withLanding(state, result), run: null, wanted: null, look: null, result, why: whyOf(fate) };
  const { wanted } = state;
  if (wanted !== null) return closeLanded(move(ended, wanted, now), now);
  if (fate.kind === 'ended' && isAnswer(state, fate.result))
    return move(ended, { to: 'closed', reason: 'no_changes', ...BY_ENGINE, note: null }, now);
  const reason = fate.kind === 'gone' ? fate.reason : reasonOf(fate.result);
  return closeLanded(move(ended, { to: 'parked', reason, ...BY_ENGINE, note: whyOf(fate) }, now), now);
}

/** Its landing may have said more by then. */
function withLanding(state: ItemState, result: ItemState['result']): ItemState {
  if (result?.isLanding !== true || state.head?.runId === result.runId) return state;
  return { ...state, head: { runId: result.runId, state: 'landing' } };
}

/** While an agent works for it, and as long as its backlog says. What waits for a person goes on at once when that has decided. Source: S-58. */
export function hasSlot(state: ItemState): boolean {
  const { input, run } = state;
  const word = run?.word ?? null;
  if (run === null) return input.slotUntil === 'landed' && headOf(state) === 'landing';
  if (word === 'reviewing') return input.slotUntil !== 'reviewing';
  return word === null || !FREES_SLOT.includes(word);
}

/**
 * Its change is done once that is on its base, however its run ended: a person may land what was blocked or failed. Its landing may say so before its run is heard, and after a person stopped its task, or wanted another run that has not begun.
 * Source: S-78, S-79.
 */
export function closeLanded(state: ItemState, now: number): ItemState {
  const { state: at, run, head, result } = state;
  const waits = run === null && (at === 'parked' || at === 'queued') && result?.hasChange === true;
  if (!waits || head?.state !== 'merged' || head.runId !== result.runId) return state;
  return { ...move(state, { to: 'closed', reason: 'merged', ...BY_ENGINE }, now), why: null, look: null };
}

/** Of the change that waits to be landed. Null: none does. */
export function headOf({ state, reason, head, result }: ItemState): HeadState | null {
  if (state !== 'parked' || reason !== 'unmerged') return null;
  return head !== null && head.runId === result?.runId ? head.state : 'waiting';
}

function whyOf(fate: RunFate): string | null {
  return fate.kind === 'gone' ? fate.why : fate.result.error;
}

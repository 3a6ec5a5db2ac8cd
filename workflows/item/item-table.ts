/**
 * The one table of an item: gated → queued → running → parked or closed. Pure. It draws every line of its journal and reports its whole row whenever that changes.
 * Source: docs/states.md, S-02, S-03.
 */
import {
  DEPENDENCY_FAILED_SIGNAL,
  type ItemInput,
  itemResultOf,
  itemWorkflowId,
  LANDING_CHANGED_SIGNAL,
  REPORT_SIGNAL,
  runIdOfItem,
  SLOT_GRANTED_SIGNAL,
} from '../../protocol/actors/item.js';
import { GRANT_MS, type Grant } from '../../protocol/actors/slot-grant.js';
import { OWNER_WAITS_SIGNAL, RUN_CHANGED_SIGNAL } from '../../protocol/names.js';
import type { Rules, Tick } from '../actor/actor.js';
import { LOST_WORD, waitThenDouble } from '../actor/back-off.js';
import { closeLanded, endOf } from './after-run.js';
import { askFirst, callOff, hearAsk, hearComparison, isAsked, noteAsk, withQuestions } from './item-admission.js';
import { bornAs, bornLines } from './item-born.js';
import { judgeItem } from './item-judge.js';
import { report, reported } from './item-report.js';
import { type Moved, resting } from './item-resting.js';
import type { ItemErrand, ItemEvent, ItemState, ItemStep, OpenRun, RunFate } from './item-state.js';
import { BEFORE_ITS_RUN, BY_ENGINE, lookLater, move, noteDown, rest } from './item-steps.js';
import { endingOf, hearWord, stopLanding } from './item-words.js';

export const ITEM_RULES: readonly Rules<ItemState, ItemEvent, ItemErrand>[] = [
  {
    judge: judgeItem,
    after: (state, event, now) =>
      reported(state, resting(state, leaving(state, afterEvent(state, event, now)), now), now),
    wakesAt: ({ look, expiresAt }) => (look === null ? expiresAt : Math.min(look.atMs, expiresAt ?? look.atMs)),
    isWanted: ({ admission }, errand) => errand.kind !== 'ask' || isAsked(admission, errand),
    isIdle: ({ state }) => state === 'closed',
  },
];

export function newItem(input: ItemInput): ItemState {
  const { again } = input;
  const born = bornAs(input);
  return {
    input,
    version: 0,
    ...born,
    needs: again === null ? input.dependsOn : [],
    linked: 0,
    lost: null,
    runs: again?.runs ?? 0,
    priority: input.priority,
    files: input.files,
    isHeld: false,
    since: Date.parse(again?.at ?? input.createdAt),
    run: null,
    result: null,
    head: null,
    wanted: null,
    look: null,
    expiresAt: null,
    journal: bornLines(input, born),
    updatedAt: 0,
  };
}

/** Where a person decided about its task while it closed, it may have asked for its landing by then. */
function endRun(before: ItemState, fate: RunFate, now: number): ItemStep {
  const state = endOf(before, fate, now);
  return { state, errands: before.wanted === null ? [] : stopLanding(state) };
}

/** Of a run before the last one nothing is waited for any more. */
function hearLanding(
  state: ItemState,
  { runId, state: head }: Extract<ItemEvent, { kind: typeof LANDING_CHANGED_SIGNAL }>,
  now: number,
): ItemState {
  const isOfLast = runId === state.run?.runId || (state.run === null && runId === state.result?.runId);
  return isOfLast ? closeLanded({ ...state, head: { runId, state: head } }, now) : state;
}

function afterEvent(state: ItemState, event: ItemEvent | Tick, now: number): Moved {
  switch (event.kind) {
    case 'begin':
      return begin(state, now);
    case 'askEnded':
      return hearAsk(state, event, now);
    case 'comparedAgain':
      return hearComparison(state, event, now);
    case 'unwritten':
      return rest(
        noteDown(state, { ...BY_ENGINE, note: `the file of its questions could not be written: ${event.why}` }, now),
      );
    case 'askNoted':
      return rest(noteAsk(state, event, now));
    case 'askLimited':
      return rest(limitAsk(state, event));
    case 'approve':
    case 'answer':
    case 'run':
    case 'reject':
    case 'remove':
    case 'pause':
    case 'resume':
    case 'set':
    case 'stop':
    case 'done':
      return hearWord(state, event, now);
    case SLOT_GRANTED_SIGNAL:
      return takeSlot(state, event, now);
    case REPORT_SIGNAL:
      // Whoever asks is answered, whatever it knows.
      return report({ ...state, version: Math.max(state.version, event.known) });
    case RUN_CHANGED_SIGNAL:
      return hearRun(state, event, now);
    case LANDING_CHANGED_SIGNAL:
      return rest(hearLanding(state, event, now));
    case DEPENDENCY_FAILED_SIGNAL:
      return rest(loseDependency(state, event, now));
    case 'taken':
      return state.run?.runId === event.runId ? waitForTaken(state, state.run) : rest(state);
    case 'fate':
      return state.run?.runId === event.runId ? endRun(state, event.fate, now) : rest(state);
    case 'looked':
      return readLook(state, event, now);
    case 'landingGone':
      return rest(loseLanding(state, event.runId));
    case 'tick':
      return wake(state, now);
  }
}

/** What people said in the moment in which it was started is heard before. */
function begin(state: ItemState, now: number): ItemStep {
  const { state: to } = state;
  const begun = { ...state, look: to === 'queued' ? lookLater(now) : state.look };
  return to === 'admitting' ? askFirst(begun, now) : rest(begun);
}

/** What is at work goes on. Source: V-132. */
function loseDependency(
  state: ItemState,
  { id, reason }: Extract<ItemEvent, { kind: typeof DEPENDENCY_FAILED_SIGNAL }>,
  now: number,
): ItemState {
  const waits = state.run === null && BEFORE_ITS_RUN.includes(state.state);
  if (!waits || !state.needs.includes(id)) return state;
  const note = `task ${id}, on which it depends, ${LOST[reason ?? 'unknown'] ?? `is closed: ${reason?.replaceAll('_', ' ')}`}`;
  return {
    ...move(state, { to: 'parked', reason: 'dependency_failed', ...BY_ENGINE, note }, now),
    why: note,
    lost: id,
    look: null,
  };
}

const LOST: Readonly<Record<string, string>> = {
  unknown: 'is not known any more',
  circle: 'waits for it too: sluice task set <task> --after none',
};

/**
 * A grant for another version of its row, or one that comes late, starts nothing. Of an older one the backlog hears by the newer row, which is under way: were it told again, both would
 * send each other the row before the last without an end.
 */
function takeSlot(state: ItemState, { version, at, behind }: Grant, now: number): Moved {
  if (version < state.version) return rest(state);
  const isFor = state.state === 'queued' && state.run === null && version === state.version;
  if (!isFor || now - at > GRANT_MS) return report(state);
  return startRun(state, behind, now);
}

function startRun(state: ItemState, behind: readonly string[], now: number): ItemStep {
  const runs = state.runs + 1;
  const runId = runIdOfItem(state.input, runs);
  const begun = { ...state, runs, run: { runId, word: null }, look: lookLater(now) };
  const { input, admission } = state;
  return {
    state: begun,
    errands: [{ kind: 'startRun', workflowId: `start ${runId}`, runId, input, behind, admission }],
  };
}

/** It started that run itself before it was reset, or somebody took the id. Looked at once it knows that its end is waited for: one that closed before is found closed. */
function waitForTaken(state: ItemState, run: OpenRun): ItemStep {
  const { runId: workflowId } = run;
  const asking: ItemErrand = { kind: 'tellRun', workflowId, name: OWNER_WAITS_SIGNAL, argument: { by: null } };
  return { state, errands: [asking, { ...lookAt(run), workflowId }] };
}

/** It is running once its branch is there. Source: S-56. */
function hearRun(
  state: ItemState,
  { runId, state: word }: Extract<ItemEvent, { kind: typeof RUN_CHANGED_SIGNAL }>,
  now: number,
): ItemStep {
  const { run } = state;
  if (run?.runId !== runId) return rest(state);
  // It says so only where its answer does not come.
  if (word === 'closed') return rest({ ...state, look: { atMs: now + SOON_MS, everyMs: LOST_WORD.firstMs } });
  return runsNow(state, { ...run, word }, now);
}

/** What was said to it before it was there it may not have heard. */
function runsNow(state: ItemState, run: OpenRun, now: number): ItemStep {
  const opened = { ...state, run };
  if (state.state === 'running') return rest(opened);
  return { state: move(opened, { to: 'running', ...BY_ENGINE }, now), errands: unheardBy(state, run) };
}

function unheardBy({ wanted, isHeld }: ItemState, { runId }: OpenRun): readonly ItemErrand[] {
  if (wanted !== null) return [endingOf(runId, wanted)];
  return isHeld ? [{ kind: 'tellRun', workflowId: runId, name: 'pause', argument: { by: null } }] : [];
}

function readLook(
  state: ItemState,
  { runId, word: before, run: found }: Extract<ItemEvent, { kind: 'looked' }>,
  now: number,
): ItemStep {
  const { run } = state;
  if (run?.runId !== runId) return rest(state);
  // Somebody took the id: the next run has another. What this item itself started before it was reset goes on.
  if (found.kind !== 'none' && found.owner !== itemWorkflowId(state.input)) return report({ ...state, run: null });
  // It may have said so before this item was reset.
  if (found.kind === 'open') {
    // What it said since is newer.
    if (found.branch === null || run.word !== before) return rest(state);
    const word = found.wait ?? (run.word === 'reviewing' ? run.word : 'working');
    return runsNow(state, { ...run, word }, now);
  }
  if (found.kind === 'none') return endRun(state, { ...GONE, why: `the run ${runId} ended without an answer` }, now);
  return endRun(state, { kind: 'ended', result: itemResultOf({ ...found, runId }) }, now);
}

const GONE = { kind: 'gone', reason: 'run_gone' } as const;

function wake(state: ItemState, now: number): Moved {
  const { look, run } = state;
  if (look === null || now < look.atMs) return rest(state);
  const later = { ...state, look: waitThenDouble(look, LOST_WORD, now) };
  if (run !== null) return { state: later, errands: [lookAt(run)] };
  // Its backlog may be gone: the report starts it anew.
  if (state.state !== 'parked' || state.result === null) return report(later);
  const { runId } = state.result;
  return { state: later, errands: [{ kind: 'lookAtLanding', workflowId: `look ${runId}`, runId }] };
}

/** Nobody lands it any more. */
function loseLanding(state: ItemState, runId: string): ItemState {
  return state.head?.runId === runId && state.head.state === 'landing'
    ? { ...state, head: { runId, state: 'waiting' } }
    : state;
}

/** What is still asked of one that goes elsewhere is called off, and nothing else holds it up. */
function leaving(before: ItemState, moved: Moved): Moved {
  return { ...moved, ...withQuestions(before, callOff(before, moved)) };
}

function limitAsk(state: ItemState, { pass, isLimited }: Extract<ItemEvent, { kind: 'askLimited' }>): ItemState {
  const { admission } = state;
  return admission?.pass === pass ? { ...state, admission: { ...admission, isLimited } } : state;
}

const SOON_MS = 5_000;

function lookAt({ runId, word }: OpenRun): ItemErrand {
  return { kind: 'lookAtRun', workflowId: `look ${runId}`, runId, word };
}

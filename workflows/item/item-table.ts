/**
 * The one table of an item: gated → queued → running → parked or closed. Pure. It draws every line of its journal and reports its whole row whenever that changes.
 * Source: docs/states.md, S-02, S-03.
 */
import { backlogId } from '../../protocol/actors/backlog.js';
import {
  DEPENDENCY_FAILED_SIGNAL,
  GRANT_MS,
  type Grant,
  type ItemInput,
  type ItemMessageName,
  type ItemRow,
  type ItemTransition,
  itemWorkflowId,
  LANDING_CHANGED_SIGNAL,
  REPORT_SIGNAL,
  runIdOfItem,
  SLOT_GRANTED_SIGNAL,
} from '../../protocol/actors/item.js';
import { landingId, RUN_CHANGED_SIGNAL } from '../../protocol/names.js';
import type { Rules, Tick } from '../actor/actor.js';
import { closeLanded, endOf, hasSlot, headOf } from './after-run.js';
import { judgeItem } from './item-judge.js';
import type { ItemErrand, ItemEvent, ItemState, ItemStep, OpenRun, Wanted } from './item-state.js';
import { BY_ENGINE, move } from './item-steps.js';

export const ITEM_RULES: readonly Rules<ItemState, ItemEvent, ItemErrand>[] = [
  {
    judge: judgeItem,
    after: (state, event, now) => reported(state, expiring(state, afterEvent(state, event, now), now), now),
    wakesAt: ({ look, expiresAt }) => (look === null ? expiresAt : Math.min(look.atMs, expiresAt ?? look.atMs)),
    isIdle: ({ state }) => state === 'closed',
  },
];

export function newItem(input: ItemInput): ItemState {
  const { again } = input;
  const gate = again === null ? input.gate : null;
  return {
    ...{ input, state: gate === 'start' ? 'gated' : 'queued', reason: gate, why: null, version: 0 },
    ...{ needs: again === null ? input.dependsOn : [], runs: again?.runs ?? 0 },
    ...{ since: Date.parse(again?.at ?? input.createdAt), run: null, result: null, head: null, wanted: null },
    ...{ look: null, expiresAt: null, journal: [], updatedAt: 0 },
  };
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

/** Its whole row, as its backlog is to know it. */
export function rowOf(item: ItemState): ItemRow {
  const { input, version, state, reason, since, runs, needs } = item;
  const { id, priority, files, by } = input;
  const ready = headOf(item) === 'ready' ? (item.result?.runId ?? null) : null;
  return { id, version, state, reason, slot: hasSlot(item), since, runs, priority, ready, needs, files, by };
}

/** `isAsked`: its backlog hears how it stands though nothing changed. */
interface Moved extends ItemStep {
  readonly isAsked?: true;
}

function afterEvent(state: ItemState, event: ItemEvent | Tick, now: number): Moved {
  switch (event.kind) {
    case 'begin':
      return begin(state, now);
    case 'approve':
      return rest(queue(move(state, { to: 'queued', driver: 'approve', ...said(event) }, now), now));
    case 'run':
      return withoutLanding(state, rest(runAgain(state, said(event), now)));
    case 'reject':
    case 'remove':
      return withoutLanding(state, rest(close(state, { driver: event.kind, ...said(event) }, now)));
    case 'stop':
    case 'done':
      return withoutLanding(state, end(state, wantedBy(event.kind, said(event)), now));
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
      return state.run?.runId === event.runId ? { state, errands: [lookAt(event.runId)] } : rest(state);
    case 'fate':
      return state.run?.runId === event.runId ? rest(endOf(state, event.fate, now)) : rest(state);
    case 'looked':
      return readLook(state, event, now);
    case 'tick':
      return wake(state, now);
  }
}

function begin(state: ItemState, now: number): ItemStep {
  const { by, createdAt, again } = state.input;
  const { state: to, reason } = state;
  const born: ItemTransition =
    again === null
      ? { at: createdAt, from: null, to, reason, driver: 'create', actor: by, note: null }
      : { at: again.at, from: 'closed', to, reason, driver: 'run', actor: again.by, note: again.note };
  return rest({ ...state, journal: [born], look: to === 'queued' ? lookLater(now) : null });
}

function queue(state: ItemState, now: number): ItemState {
  return { ...state, since: now, why: null, look: lookLater(now) };
}

/** Whoever says so of a task whose dependency failed wants it without that one. */
function runAgain(state: ItemState, who: Said, now: number): ItemState {
  const needs = state.reason === 'dependency_failed' ? [] : state.needs;
  return queue({ ...move(state, { to: 'queued', driver: 'run', ...who }, now), needs }, now);
}

/** What is at work goes on. Source: V-132. */
function loseDependency(
  state: ItemState,
  { id, reason }: Extract<ItemEvent, { kind: typeof DEPENDENCY_FAILED_SIGNAL }>,
  now: number,
): ItemState {
  const waits = state.run === null && (state.state === 'gated' || state.state === 'queued');
  if (!waits || !state.needs.includes(id)) return state;
  const note = `task ${id}, on which it depends, is ${reason === null ? 'not known any more' : `closed: ${reason.replaceAll('_', ' ')}`}`;
  return {
    ...move(state, { to: 'parked', reason: 'dependency_failed', ...BY_ENGINE, note }, now),
    why: note,
    look: null,
  };
}

interface Said {
  readonly actor: string | null;
  readonly note: string | null;
}

function said({ by, note }: { readonly by: string | null; readonly note: string | null }): Said {
  return { actor: by, note };
}

/** What a person decides about a change that waits to be landed: it lands no more. */
function withoutLanding({ result, ...before }: ItemState, step: ItemStep): ItemStep {
  if (before.state !== 'parked' || before.reason !== 'unmerged' || result === null) return step;
  if (step.state.state === 'parked') return step;
  const reason = `its task ${before.input.project}-${before.input.id} is ${step.state.state}`;
  return { ...step, errands: [...step.errands, abort(landingId(result.runId), reason)] };
}

const CLOSED_BY = { reject: 'rejected', remove: 'deleted' } as const;

function close(state: ItemState, { driver, ...who }: Said & { readonly driver: keyof typeof CLOSED_BY }, now: number) {
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
  const reason = `${wanted.driver} of its task${wanted.actor === null ? '' : ` by ${wanted.actor}`}`;
  return { state: { ...state, wanted }, errands: [abort(run.runId, reason)] };
}

/**
 * A grant for another version of its row, or one that comes late, starts nothing. Of an older one the backlog hears by the newer row, which is under way: were it told again, both would
 * go on for ever about the last but one.
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
  return {
    state: begun,
    errands: [{ kind: 'startRun', workflowId: `start ${runId}`, runId, input: state.input, behind }],
  };
}

/** It is running once its branch is there. Source: S-56. */
function hearRun(
  state: ItemState,
  { runId, state: word }: Extract<ItemEvent, { kind: typeof RUN_CHANGED_SIGNAL }>,
  now: number,
): ItemStep {
  const { run } = state;
  if (run?.runId !== runId) return rest(state);
  // Who waits for its answer has it in a moment; after a reset nobody does.
  if (word === 'closed') return rest({ ...state, look: { atMs: now + SOON_MS, everyMs: FIRST_LOOK_MS } });
  return rest(runsNow(state, { ...run, word }, now));
}

function runsNow(state: ItemState, run: OpenRun, now: number): ItemState {
  const opened = { ...state, run };
  return state.state === 'running' ? opened : move(opened, { to: 'running', ...BY_ENGINE }, now);
}

function readLook(
  state: ItemState,
  { runId, run: found }: Extract<ItemEvent, { kind: 'looked' }>,
  now: number,
): ItemStep {
  const { run } = state;
  if (run?.runId !== runId) return rest(state);
  // Somebody took the id: the next run has another. What this item itself started before it was reset goes on.
  if (found.kind !== 'none' && found.owner !== itemWorkflowId(state.input)) return report({ ...state, run: null });
  // It may have said so before this item was reset.
  if (found.kind === 'open') {
    const word = found.wait ?? (run.word === 'reviewing' ? run.word : 'working');
    return rest(found.branch === null ? state : runsNow(state, { ...run, word }, now));
  }
  if (found.kind === 'none')
    return rest(endOf(state, { kind: 'gone', why: `the run ${runId} ended without an answer` }, now));
  const { outcome, blockedReason, error, branch, headSha, verdict, isLanding } = found;
  const result = { runId, outcome, blockedReason, error, branch, headSha, verdict, isLanding };
  return rest(endOf(state, { kind: 'ended', result }, now));
}

function wake(state: ItemState, now: number): Moved {
  const { look, run } = state;
  if (look === null || now < look.atMs) return rest(state);
  const everyMs = Math.min(2 * look.everyMs, LAST_LOOK_MS);
  const later = { ...state, look: { atMs: now + look.everyMs, everyMs } };
  // Its backlog may be gone: the report starts it anew.
  return run === null ? report(later) : { state: later, errands: [lookAt(run.runId)] };
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
const FIRST_LOOK_MS = 10 * 60_000;
const LAST_LOOK_MS = 6 * 60 * 60_000;
const SOON_MS = 5_000;

function lookLater(now: number): ItemState['look'] {
  return { atMs: now + FIRST_LOOK_MS, everyMs: FIRST_LOOK_MS };
}

function lookAt(runId: string): ItemErrand {
  return { kind: 'lookAtRun', workflowId: `look ${runId}`, runId };
}

function abort(runId: string, reason: string): ItemErrand {
  return { kind: 'abortRun', workflowId: runId, reason };
}

function rest(state: ItemState): ItemStep {
  return { state, errands: [] };
}

function report(state: ItemState): Moved {
  return { state, errands: [], isAsked: true };
}

/** Whatever changes its row is news for its backlog. */
function reported(before: ItemState, { state, errands, isAsked }: Moved, now: number): ItemStep {
  if (isAsked !== true && isSame(rowOf(before), rowOf(state))) return { state, errands };
  const told = { ...state, version: Math.max(before.version + 1, state.version + 1, now), updatedAt: now };
  const { project } = state.input;
  const news = { kind: 'report', workflowId: backlogId(project), topic: 'report', project, row: rowOf(told) } as const;
  return { state: told, errands: [...errands, news] };
}

function isSame(one: ItemRow, other: ItemRow): boolean {
  return (['state', 'slot', 'runs', 'since', 'ready', 'needs'] as const).every((field) => one[field] === other[field]);
}

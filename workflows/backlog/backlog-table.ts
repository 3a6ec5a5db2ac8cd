/** The one table of a backlog: what it does with what it hears. Pure. */
import {
  ITEM_CHANGED_SIGNAL,
  MAX_OPEN_ITEMS,
  MAX_WAITING_BYTES,
  MAX_WAITING_TASKS,
  type SetTerms,
  type TermChanges,
} from '../../protocol/actors/backlog.js';
import { type ItemRow, itemWorkflowId, runIdOfItem } from '../../protocol/actors/item.js';
import type { Rules, Tick } from '../actor/actor.js';
import { type BackOff, waitThenDouble } from '../actor/back-off.js';
import { accepted, busy, type Judgement, refused, unchanged } from '../inbox/inbox.js';
import { admit, askAgain, isSame, keepAway, readAdmitted, refuseAll, takeIn } from './admission.js';
import type { BacklogErrand, BacklogEvent, BacklogState, BacklogStep } from './backlog-state.js';
import { noteClosed } from './closings.js';
import { circleOf, failOf, readFound, seekIfNeeded, seekNeeds, settle, unmetOf } from './dependencies.js';
import { behindOf, nextGrants, readyIn } from './next-grants.js';
import { readOpen, seekLater, seekOpen, withHeard } from './rebuild.js';
import { hasSlot, isAtWork, knownRow, type Row, Rows } from './rows.js';

export const BACKLOG_RULES: readonly Rules<BacklogState, BacklogEvent, BacklogErrand>[] = [
  {
    judge,
    after: (state, event, now) => granted(started(admit(afterEvent(state, event, now))), now),
    wakesAt: ({ away, ask, seek }) =>
      earliest([...away.map(({ againAtMs }) => againAtMs), ask?.atMs ?? null, seek.atMs]),
    // It is never done: who is not there is started by the next word.
    isIdle: () => false,
  },
];

function judge(state: BacklogState, event: BacklogEvent): Judgement {
  switch (event.kind) {
    case 'create':
      return judgeCreate(state, event);
    case 'pause':
      return state.isPaused ? unchanged('it is paused already') : accepted('nothing new starts until it is resumed');
    case 'resume':
      return state.isPaused ? accepted('what waits starts again') : unchanged('it is not paused');
    case 'abort':
      return accepted(judgeAbort(state));
    case 'set':
      return accepted('it counts at once, whatever the config says');
    default:
      return accepted('it is noted');
  }
}

function judgeAbort({ rows }: BacklogState): string {
  const atWork = rows.all.filter(isAtWork).length;
  return `nothing new starts until it is resumed${atWork === 0 ? '' : `, and ${atWork} task(s) are being stopped`}`;
}

function judgeCreate(
  { creates, rows, home }: BacklogState,
  create: Extract<BacklogEvent, { kind: 'create' }>,
): Judgement {
  const same = creates.find(({ key }) => key === create.key);
  if (same !== undefined)
    return isSame(same, create)
      ? accepted('it is being taken in')
      : refused('its key is that of other tasks, which are being taken in');
  const tasks = creates.reduce((sum, one) => sum + one.tasks.length, create.tasks.length);
  const bytes = creates.reduce((sum, one) => sum + one.bytes, create.bytes);
  if (tasks > MAX_WAITING_TASKS || bytes > MAX_WAITING_BYTES)
    return busy(
      `busy: ${tasks - create.tasks.length} tasks wait to be taken in already; ${home === null ? 'its host' : 'the host'} takes them one after the other. Send it again later`,
    );
  if (rows.size + tasks > MAX_OPEN_ITEMS)
    return refused(`backlog_full: ${rows.size} items are open, and at most ${MAX_OPEN_ITEMS} may be`);
  if (rows.sums.bytes + bytes > MAX_INDEX_BYTES)
    return refused(`backlog_full: what ${rows.size} open items say of their files and dependencies takes all its room`);
  return accepted('it is being taken in');
}

/** With what waits to be admitted it goes over continue-as-new, for which the server takes 2 MB. */
const MAX_INDEX_BYTES = 1_200_000;

function afterEvent(state: BacklogState, event: BacklogEvent | Tick, now: number): BacklogState | BacklogStep {
  switch (event.kind) {
    case 'begin':
      return seekOpen(state);
    case 'open':
      return readOpen(state, event.ids, now);
    case 'openUnknown':
      return seekLater(state, now);
    case 'create':
      return takeIn(state, event);
    case 'admitted':
      return readAdmitted(state, { result: event.result, told: event.told ?? [] }, now);
    case 'unadmitted':
      return refuseAll(state, event.why);
    case 'away':
      return keepAway(state, event.host, now);
    case 'started':
      return readStarted(state, event);
    case 'pause':
      return { ...state, isPaused: true };
    case 'resume':
      return { ...state, isPaused: false };
    case 'abort':
      return { state: { ...state, isPaused: true }, errands: stopAll(state, event.by) };
    case 'set':
      return setTerms(state, event.changes);
    case ITEM_CHANGED_SIGNAL:
      return joined(withHeard(state, event.row.id), (heard) => readRow(heard, event.row, now));
    case 'unreachable':
      return joined(withHeard(state, event.id), (heard) => seekRun(heard, event.id));
    case 'looked':
      return event.isOpen ? state : dropRow(state, event.id);
    case 'found':
      return readFound(state, event.id, event.found);
    case 'tick':
      return wake(state, now);
  }
}

/** Of an item whose host had numbered it before its answer was lost nothing is known: it may be new, or closed since. */
function readStarted(state: BacklogState, { isDone, ids }: Extract<BacklogEvent, { kind: 'started' }>): BacklogStep {
  const isThere = ({ id }: { readonly id: string }) => isDone && ids.includes(id);
  const there = state.unstarted.filter(isThere);
  // And a row may be of one that is gone, where it goes on.
  const unknown = there.filter(
    ({ id, again, dedup }) => again !== null || (state.rows.find(id) === undefined && dedup?.duplicate == null),
  );
  const next = { ...state, isStarting: false, unstarted: state.unstarted.filter((one) => !isThere(one)) };
  const needs = there.flatMap(({ id }) => next.rows.find(id)?.needs ?? []);
  // Only now can they be told that they wait in vain.
  return {
    state: next,
    errands: [...unknown.map(({ id }) => ask(state, { id, version: 0 })), ...seekNeeds(next, needs)],
  };
}

/** An item owns its state: what it says last is true. What is older than that is answered with what is known. */
function readRow(state: BacklogState, told: ItemRow, now: number): BacklogState | BacklogStep {
  const { id, version, reason } = told;
  const known = state.rows.find(id);
  if (known !== undefined && version < known.version) return { state, errands: [ask(state, known)] };
  const last = Math.max(state.last, Number(id));
  // What only answers is no reason to ask it again soon, nor is what others say: whoever waits for a person does so for days, and each question is kept in its history.
  const isAskedSoon = known === undefined || isNews(known, told);
  const heard = { ...state, last, ask: isAskedSoon ? soonerOf(state.ask, now) : state.ask };
  if (told.state === 'closed')
    return settle(noteClosed({ ...heard, rows: state.rows.without(id) }, { id, reason }, now), id, reason);
  const grant = known !== undefined && known.grant !== null && version <= known.grant.version ? known.grant : null;
  const needs = unmetOf(known, told);
  const row = knownRow(told, needs, { grant, ask: isAskedSoon ? null : known.ask });
  const next = { ...heard, rows: state.rows.with(row) };
  if (!isToStart(told)) return next;
  const isOld = known !== undefined && isToStart(known) && known.linked === told.linked;
  const circle = isOld ? null : circleOf(state.rows, { id, needs });
  if (circle !== null) return { state: next, errands: [failOf(next, id, { id: circle, reason: 'circle' })] };
  return { state: next, errands: seekNeeds(next, needs) };
}

/** An item that is asked says what it said, by another version. */
function isNews(known: Row, told: ItemRow): boolean {
  return (['state', 'slot', 'runs', 'since', 'ready', 'linked', 'priority', 'held'] as const).some(
    (field) => known[field] !== told[field],
  );
}

/** What it waits for counts. */
function isToStart({ state, slot }: Pick<Row, 'state' | 'slot'>): boolean {
  return (state === 'queued' || state === 'gated') && !slot;
}

/** Whoever they wait for. */
function stopAll({ project, rows }: BacklogState, by: string | null): readonly BacklogErrand[] {
  return rows.all
    .filter(isAtWork)
    .map(({ id }) => ({ kind: 'stopItem', workflowId: itemWorkflowId({ project, id }), id, by }));
}

/** A term that is null is the config's again. */
function setTerms(state: BacklogState, changes: TermChanges): BacklogState {
  const known = Object.entries({ ...state.set, ...changes }).filter(([, value]) => value !== null);
  // Keys and values of terms, less those that are null.
  const set = Object.fromEntries(known) as SetTerms;
  return { ...state, set, terms: { ...state.configured, ...set } };
}

/** Nobody is there to be told: its slot is free once its run is closed too. */
function seekRun(state: BacklogState, id: string): BacklogState | BacklogStep {
  const row = state.rows.find(id);
  if (row === undefined) return seekIfNeeded(state, id);
  // It is on its way.
  if (state.unstarted.some((one) => one.id === id)) return state;
  if (row.runs === 0) return dropRow(state, id);
  const { project } = state;
  const errand = {
    kind: 'lookAtRun',
    workflowId: `run ${id}`,
    id,
    runId: runIdOfItem({ project, id }, row.runs),
  } as const;
  return { state, errands: [errand] };
}

/** Its item is gone: what became of it the server may know. */
function dropRow(state: BacklogState, id: string): BacklogStep {
  return seekIfNeeded({ ...state, rows: state.rows.without(id) }, id);
}

/** One step after the other. */
function joined(
  { state, errands }: BacklogStep,
  next: (state: BacklogState) => BacklogState | BacklogStep,
): BacklogStep {
  const after = next(state);
  return 'errands' in after
    ? { state: after.state, errands: [...errands, ...after.errands] }
    : { state: after, errands };
}

/** All that is due: a time that it left as it is would never be waited for again. */
function wake(state: BacklogState, now: number): BacklogStep {
  const isSought = state.seek.atMs !== null && now >= state.seek.atMs;
  return joined(isSought ? seekOpen(state) : { state, errands: [] }, (sought) => {
    const here = askAgain(sought, now);
    return here.ask === null || now < here.ask.atMs ? here : askDue(here, now);
  });
}

/** Of those that others wait for, each in its own time. */
function askDue(state: BacklogState, now: number): BacklogStep {
  const { rows } = state;
  const needed = new Set(rows.all.flatMap(({ needs }) => needs));
  const waitedFor = rows.all.filter((row) => isAtWork(row) || hasSlot(row) || needed.has(row.id));
  // Who is nearly due is asked along: the next are asked in a minute.
  const due = waitedFor.filter((row) => askAtOf(row) <= now + ASK.firstMs / 2);
  const asked = new Map(due.map((row) => [row.id, knownRow(row, row.needs, askedNow(row, now))]));
  // In one pass: each one that is put in its place by itself copies the ten thousand that there may be.
  const after = Rows.of(rows.all.map((row) => asked.get(row.id) ?? row));
  const next = waitedFor.reduce((soonest, { id }) => Math.min(soonest, askAtOf(after.find(id))), now + ASK.lastMs);
  return {
    state: { ...state, rows: after, ask: { atMs: Math.max(next, now + ASK.firstMs) } },
    errands: due.map((row) => ask(state, row)),
  };
}

/** Once a minute at most. */
const ASK: BackOff = { firstMs: 60_000, lastMs: 6 * 60 * 60_000 };

/** Its version is the time at which it told last. */
function askAtOf(row: Row | undefined): number {
  return row?.ask?.atMs ?? (row?.version ?? 0) + ASK.firstMs;
}

function askedNow({ grant, ask: before }: Row, now: number): Pick<Row, 'grant' | 'ask'> {
  return { grant, ask: waitThenDouble(before, ASK, now) };
}

function askLater(now: number): NonNullable<BacklogState['ask']> {
  return { atMs: now + ASK.firstMs };
}

function soonerOf(clock: BacklogState['ask'], now: number): BacklogState['ask'] {
  return clock === null ? null : { atMs: Math.min(clock.atMs, now + ASK.firstMs) };
}

function ask({ project }: BacklogState, { id, version }: Pick<Row, 'id' | 'version'>): BacklogErrand {
  return { kind: 'ask', workflowId: itemWorkflowId({ project, id }), id, known: version, topic: 'ask' };
}

/** Those that were admitted, all at once. */
function started({ state, errands }: BacklogStep): BacklogStep {
  if (state.isStarting || state.unstarted.length === 0) return { state, errands };
  const start = { kind: 'start', workflowId: 'items', items: state.unstarted } as const;
  return { state: { ...state, isStarting: true }, errands: [...errands, start] };
}

/** Whatever happened may have freed a slot, or brought somebody who wants one. */
function granted({ state, errands }: BacklogStep, now: number): BacklogStep {
  const { project } = state;
  const next = nextGrants(state);
  const ready = next.length === 0 ? new Map<string, string>() : readyIn(state);
  const grants = next.map((row) => {
    const { id, version } = row;
    const grant = { version, at: now, behind: behindOf(ready, row) };
    return { kind: 'grant', workflowId: itemWorkflowId({ project, id }), id, grant } as const;
  });
  const granting = (rows: BacklogState['rows'], row: Row) =>
    rows.with(knownRow(row, row.needs, { grant: { version: row.version, at: now }, ask: null }));
  const after = { ...state, rows: next.reduce(granting, state.rows) };
  const isWaitedFor = !after.isPaused && after.rows.sums.waiting > 0;
  // Who was granted one may never hear of it.
  const clock = next.length === 0 ? state.ask : soonerOf(state.ask, now);
  return {
    state: { ...after, ask: isWaitedFor ? (clock ?? askLater(now)) : null },
    errands: [...errands, ...grants],
  };
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/**
 * Where tasks are compared, their host has to hear which have closed; and what it says of one that has closed meanwhile is not believed. A backlog whose tasks are not compared keeps nothing
 * of this. Pure. Source: S-07, S-11.
 */
import type { AdmitResult } from '../../protocol/actors/backlog.js';
import type { ItemReason } from '../../protocol/actors/item.js';
import type { ClosedItem, TaskDedup } from '../../protocol/actors/task-dedup.js';
import { askedOf, type BacklogState } from './backlog-state.js';

/** What is dropped is found out by a hit that is not believed. */
const MAX_CLOSED = 200;

interface Closing {
  readonly id: string;
  readonly reason: ItemReason | null;
}

/** Only where its host wants to hear it. */
export function noteClosed(state: BacklogState, { id, reason }: Closing, now: number): BacklogState {
  if (state.closed === undefined) return state;
  return { ...state, closed: withClosed(state.closed, [{ id, reason, at: new Date(now).toISOString() }]) };
}

function withClosed(closed: readonly ClosedItem[], more: readonly ClosedItem[]): readonly ClosedItem[] {
  const others = closed.filter(({ id }) => !more.some((one) => one.id === id));
  return [...others, ...more].slice(-MAX_CLOSED);
}

type Admitted = AdmitResult['tasks'][number];

export interface Told {
  readonly result: AdmitResult;
  /** Ids of those whose closing the host knew when it compared. */
  readonly told: readonly string[];
}

/** From which task on it is to be asked again, since that one was said to be like tasks that have closed. Null: all that was said is believed. */
export function findStale(
  state: BacklogState,
  { result, told }: Told,
): { readonly from: number; readonly ids: readonly string[] } | null {
  for (const [from, task] of result.tasks.entries()) {
    const isThere = (id: string) => isOpen(state, id) || result.tasks.slice(0, from).some((one) => idIn(one) === id);
    const ids = hitsIn(state, task).filter((id) => !told.includes(id) && !isThere(id));
    if (ids.length > 0) return { from, ids };
  }
  return null;
}

/** Of one that it has answered before nothing is looked at again: the same is answered as it was. */
function hitsIn(state: BacklogState, task: Admitted): readonly string[] {
  if (task.kind === 'refused') return [];
  if (task.kind === 'compared') return hitsOf(task.dedup);
  const { item } = task;
  return item.dedup === undefined || item.again !== null || isAnswered(state, task) ? [] : hitsOf(item.dedup);
}

/** It was begun by what its host said of it then. */
function isAnswered({ last }: BacklogState, task: Admitted): boolean {
  return task.kind === 'admitted' && task.isKnown && Number(task.item.id) <= last;
}

/** What is merged may be hit: it blocks nothing. */
function hitsOf({ duplicate, possible }: TaskDedup): readonly string[] {
  const open = possible.filter(({ isMerged }) => !isMerged).map(({ id }) => id);
  return duplicate === null ? open : [duplicate.of, ...open];
}

function idIn(task: Admitted): string | null {
  return task.kind === 'admitted' && task.item.dedup?.duplicate == null ? task.item.id : null;
}

/** As long as it has not heard which are open, it knows of none that it is not. */
function isOpen({ rows, unstarted, unheard }: BacklogState, id: string): boolean {
  if (unheard === null || unheard.includes(id) || rows.find(id) !== undefined) return true;
  return unstarted.some((one) => one.id === id && (one.again !== null || one.dedup?.duplicate == null));
}

/** What the host was told is done with; what it did not know it is told next. */
export function withClosings(
  { closed, recompare = [], ...state }: BacklogState,
  { result, told, stale }: Told & { readonly stale: ReturnType<typeof findStale> },
  now: number,
): BacklogState {
  const isDry = askedOf(state)[0]?.dryRun === true;
  const answered = result.compares === true ? (closed ?? []).filter(({ id }) => !told.includes(id)) : undefined;
  const left = isDry ? closed : answered;
  // Those of a create of another host, which was asked for nothing meanwhile.
  const others = recompare.filter((key) => state.admitting?.includes(key) !== true);
  const asked = others.length === 0 ? state : { ...state, recompare: others };
  if (stale === null) return left === undefined ? asked : { ...asked, closed: left };
  const at = new Date(now).toISOString();
  // What is compared anew has its record written anew, which whoever was begun by it would not find any more.
  const begun = result.tasks.map((task) => isAnswered(state, task));
  const again = (state.admitting ?? []).filter((_, place) => place >= stale.from && begun[place] !== true);
  const unknown = stale.ids.filter((id) => left?.some((one) => one.id === id) !== true);
  return {
    ...state,
    closed: withClosed(
      left ?? [],
      unknown.map((id) => ({ id, reason: null, at })),
    ),
    recompare: [...others, ...again],
  };
}

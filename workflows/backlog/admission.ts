/** How a backlog takes tasks in: what waits, what its host is asked for, and what is answered. One thing at a time is asked of the host. Pure. */
import {
  type AdmitResult,
  type AdmitTask,
  type CreateMessage,
  type DuplicateFound,
  MAX_ADMIT_TASKS,
  type TaskToCreate,
  textOfRun,
  type Verdict,
} from '../../protocol/actors/backlog.js';
import type { ItemInput } from '../../protocol/actors/item.js';
import { duplicateReason, type TaskDedup } from '../../protocol/actors/task-dedup.js';
import { type BackOff, waitThenDouble } from '../actor/back-off.js';
import {
  type Answer,
  type AwayHost,
  askedOf,
  type BacklogState,
  type BacklogStep,
  type Create,
} from './backlog-state.js';
import { findStale, type Told, withClosings } from './closings.js';
import { knownRow, type Row, type Rows } from './rows.js';

/** Of two that wait under one key. Their host looks at those that it has numbered; until then nobody else does. */
export function isSame({ tasks, verdicts }: Create, again: Pick<CreateMessage, 'tasks'>): boolean {
  const textsOf = (some: readonly TaskToCreate[]) =>
    JSON.stringify(some.map((task) => ('again' in task ? task.again : textOfRun(task.run))));
  return textsOf(tasks) === textsOf(again.tasks.slice(verdicts.length));
}

/** The same again waits for the same answer. */
export function takeIn(state: BacklogState, { kind: _kind, ...create }: CreateMessage): BacklogState {
  if (state.creates.some(({ key }) => key === create.key)) return state;
  const answers = state.answers.filter(({ key }) => key !== create.key);
  return { ...state, answers, creates: [...state.creates, { ...create, verdicts: [] }] };
}

/** What was taken in is answered once it can be spoken to; while its host is away, that it is kept. Null: not known yet. */
export function answerTo(
  { answers, away, creates, unstarted }: BacklogState,
  { key }: Pick<CreateMessage, 'key'>,
): { readonly verdicts: readonly Verdict[] | null } | null {
  const answer = answers.find((one) => one.key === key);
  if (answer !== undefined) return isStarted(answer, unstarted) ? { verdicts: answer.verdicts } : null;
  const create = creates.find((one) => one.key === key);
  return create === undefined || isAway(away, create) ? { verdicts: null } : null;
}

function isStarted({ verdicts }: Answer, unstarted: BacklogState['unstarted']): boolean {
  return !verdicts.some((verdict) => 'id' in verdict && unstarted.some(({ id }) => id === verdict.id));
}

interface Asked {
  readonly create: Create;
  readonly tasks: readonly AdmitTask[];
}

function isAway(away: BacklogState['away'], { host }: Create): boolean {
  return away.some((one) => one.host === host);
}

/** The next that are asked for together: they came for one repository from one person. Nobody waits for a host that is away but what came for it. */
function nextTasks({ creates, away, recompare }: BacklogState): readonly Asked[] {
  const waits = new Set(away.flatMap(({ host, againAtMs }) => (againAtMs === null ? [] : [host])));
  const able = creates.filter(({ host }) => !waits.has(host));
  const [first] = able;
  const asked: Asked[] = [];
  let room = MAX_ADMIT_TASKS;
  for (const create of able) {
    if (room === 0 || create.repo !== first?.repo || create.host !== first.host || create.by !== first.by) break;
    if (create.dryRun !== first.dryRun) break;
    const done = create.verdicts.length;
    const tasks = create.tasks.slice(0, room).map((task, at): AdmitTask => {
      const key = `${create.key}#${done + at + 1}`;
      return { ...task, key, ...(recompare?.includes(key) === true ? { recompare: true } : {}) };
    });
    room -= tasks.length;
    asked.push({ create, tasks });
  }
  return asked;
}

export function admit(moved: BacklogState | BacklogStep): BacklogStep {
  const { state, errands } = 'errands' in moved ? moved : { state: moved, errands: [] };
  const [first, ...others] = nextTasks(state);
  if (state.admitting !== null || first === undefined) return { state, errands };
  const { repo, host, by, dryRun } = first.create;
  const tasks = [first, ...others].flatMap((asked) => asked.tasks);
  const { project, home, last: known, closed = [] } = state;
  const input = {
    project,
    repo,
    repoKey: home?.repoKey ?? null,
    by,
    known,
    tasks,
    ...(closed.length === 0 ? {} : { closed }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
  return {
    state: { ...state, admitting: tasks.map(({ key }) => key) },
    errands: [...errands, { kind: 'admit', workflowId: 'host', lasts: true, host, input }],
  };
}

/** Before it commits, it looks whether what was hit is open still: from there on its host is asked once more. */
export function readAdmitted(before: BacklogState, said: Told, now: number): BacklogState {
  const { repo, repoKey, terms } = said.result;
  // Another clone has terms of its own, and was told nothing of what has closed here that counts.
  if (before.home !== null && before.home.repoKey !== repoKey)
    return answered(
      before,
      said.result.tasks.map((task) => verdictOf(before.rows, task)),
    );
  const stale = findStale(before, said);
  const tasks = said.result.tasks.slice(0, stale?.from);
  const state = withClosings(before, { ...said, stale }, now);
  const items = tasks.flatMap((task) => (task.kind === 'admitted' ? [task] : []));
  const unstarted = new Set(state.unstarted.map(({ id }) => id));
  const isKnownHere = (id: string) => unstarted.has(id) || state.rows.find(id) !== undefined;
  // One that had its number before may never have been started: its host died, and what it said was lost.
  const added = items.filter(({ item }) => item.again !== null || !isKnownHere(item.id));
  const isNew = ({ item, isKnown }: (typeof added)[number]) => !isKnown && item.dedup?.duplicate == null;
  const rows = added.filter(isNew).reduce((all: Rows, { item }) => all.with(newRow(item)), state.rows);
  const last = Math.max(
    state.last,
    ...said.result.tasks.map((task) => (task.kind === 'admitted' ? Number(task.item.id) : 0)),
  );
  return {
    ...answered(
      state,
      tasks.map((task) => verdictOf(rows, task)),
    ),
    configured: terms,
    terms: { ...terms, ...state.set },
    last,
    home: state.home ?? (added.length === 0 ? null : { repo, repoKey }),
    rows,
    unstarted: [...state.unstarted, ...added.map(({ item }) => withReason(rows, item))],
  };
}

/** Source: S-18. */
function verdictOf(rows: Rows, task: AdmitResult['tasks'][number]): Verdict {
  if (task.kind === 'refused') return task;
  if (task.kind === 'compared') {
    const { duplicate, possible } = task.dedup;
    return { kind: 'compared', duplicate: foundOf(rows, duplicate), possible: possible.map(({ id }) => id) };
  }
  const { id, title, dedup, again } = task.item;
  const found = again === null ? foundOf(rows, dedup?.duplicate ?? null) : null;
  if (found !== null) return { kind: 'duplicate', id, title, ...found };
  return { kind: task.isKnown ? 'known' : 'created', id, title };
}

function foundOf(rows: Rows, duplicate: TaskDedup['duplicate']): DuplicateFound | null {
  if (duplicate === null) return null;
  const { of, layer, score } = duplicate;
  return { of, layer, score, reason: duplicateReason(duplicate, rows.find(of)?.state ?? null) };
}

/** Its host does not know how the other one stands. */
function withReason(rows: Rows, item: ItemInput): ItemInput {
  const { dedup, again } = item;
  if (dedup?.duplicate == null || again !== null) return item;
  const why = duplicateReason(dedup.duplicate, rows.find(dedup.duplicate.of)?.state ?? null);
  return { ...item, dedup: { ...dedup, duplicate: { ...dedup.duplicate, why } } };
}

function newRow({ id, gate, admission, dedup, createdAt, priority, dependsOn: needs, files, by }: ItemInput): Row {
  const isGated = gate === 'start' || (dedup !== undefined && dedup.possible.length > 0);
  const state: Row['state'] = admission !== null ? 'admitting' : isGated ? 'gated' : 'queued';
  const told = {
    id,
    version: 0,
    state,
    slot: false,
    since: Date.parse(createdAt),
    runs: 0,
    priority,
    ready: null,
    needs,
    linked: 0,
    files,
    held: false,
    by,
  };
  return knownRow(told, needs, { grant: null, ask: null });
}

export function refuseAll(state: BacklogState, why: string): BacklogState {
  return answered(
    state,
    (state.admitting ?? []).map(() => ({ kind: 'refused', why })),
  );
}

/** The verdicts, in the order in which the tasks were asked for. */
function answered(state: BacklogState, verdicts: readonly Verdict[]): BacklogState {
  let from = 0;
  const asked = askedOf(state);
  const creates = state.creates.map((create) => {
    if (!asked.includes(create)) return create;
    const mine = verdicts.slice(from, from + create.tasks.length);
    from += mine.length;
    return { ...create, tasks: create.tasks.slice(mine.length), verdicts: [...create.verdicts, ...mine] };
  });
  const isDone = ({ tasks }: Create) => tasks.length === 0;
  const answers = [
    ...stillToTell(state),
    ...creates.filter(isDone).map(({ key, verdicts: all }) => ({ key, verdicts: all })),
  ];
  const away = state.away.filter(({ host }) => host !== asked[0]?.host);
  return { ...state, creates: creates.filter((create) => !isDone(create)), answers, admitting: null, away };
}

/** What can be told is told before the next admission but one: its end may be heard of in the same moment as that of this one. */
function stillToTell({ answers, unstarted }: BacklogState): readonly Answer[] {
  return answers
    .filter(({ isTold }) => isTold !== true)
    .map((answer) => (isStarted(answer, unstarted) ? { ...answer, isTold: true } : answer));
}

const AWAY: BackOff = { firstMs: 15_000, lastMs: 15 * 60_000 };

/** It is asked again in time. */
export function keepAway(state: BacklogState, host: string, now: number): BacklogState {
  const known = state.away.find((one) => one.host === host);
  const { atMs: againAtMs, everyMs } = waitThenDouble(known ?? null, AWAY, now);
  const kept = { host, sinceMs: known?.sinceMs ?? now, againAtMs, everyMs };
  return { ...state, admitting: null, away: [...state.away.filter((one) => one !== known), kept] };
}

export function askAgain(state: BacklogState, now: number): BacklogState {
  const isDue = ({ againAtMs }: AwayHost) => againAtMs !== null && now >= againAtMs;
  return { ...state, away: state.away.map((one) => (isDue(one) ? { ...one, againAtMs: null } : one)) };
}

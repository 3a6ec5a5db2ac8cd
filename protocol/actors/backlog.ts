/**
 * Takes tasks in and says which of them may start, `backlog:<project>`: what it is told, what it tells and how it looks. It knows of an item what that reported. Anybody can send to it, so
 * every argument is read by hand. Pure.
 */
import type { RunInput } from '../messages/messages.js';
import { checkRunInput } from '../messages/run-input.js';
import type { MessageAnswer, MessageReading } from '../messages/run-message.js';
import { type BacklogTerms, CONFLICTS, MAX_CONCURRENT, ORDERS } from '../run/backlog-policy.js';
import { amountIn, type Fields, fieldsOf, nameIn, namesIn, textIn, wholeIn, wordIn } from '../text/fields.js';
import { isRecord } from '../text/json.js';
import { ITEM_REASONS, ITEM_STATES, type ItemInput, type ItemRow, type ItemStateName, MAX_NOTE_CHARS } from './item.js';
import { isItemId } from './item-id.js';
import type { ClosedItem, DuplicateOf, TaskDedup } from './task-dedup.js';
import { readTaskTerms, TASK_TERMS, type TaskTerms, whyNoForce, withoutTerms } from './task-terms.js';

export const BACKLOG_WORKFLOW = 'backlog';

export function backlogId(project: string): string {
  return `${BACKLOG_WORKFLOW}:${project}`;
}

export function projectOfBacklog(workflowId: string): string {
  return workflowId.slice(backlogId('').length);
}

/** Unit: bytes of UTF-8. Source: S-04. */
export const MAX_DESCRIPTION_BYTES = 4096;

export const MAX_CREATE_TASKS = 100;
/** Of one `create`, as JSON. */
export const MAX_CREATE_BYTES = 192 * 1024;
/** Of all that wait to be admitted: with the index it goes over continue-as-new, for which the server takes 2 MB. */
export const MAX_WAITING_TASKS = 200;
export const MAX_WAITING_BYTES = 256 * 1024;

/** At once, in one activity. */
export const MAX_ADMIT_TASKS = 50;

export const MAX_OPEN_ITEMS = 10_000;

/** What a task may say of its run; the rest is its backlog's. */
const RUN_FIELDS = ['title', 'base', 'preset', 'policy', 'commandHash', 'configHash', 'attended'] as const;
export type RunOfTask = Pick<RunInput, 'task' | (typeof RUN_FIELDS)[number]>;

/** What the same text of a config is known by is no part of a task. */
export function textOfRun({ configHash: _configHash, ...run }: RunOfTask): string {
  return JSON.stringify(run);
}

/** One task as somebody hands it in; or one that is closed and is to go on. */
export type TaskToCreate = NewTask | ClosedTask;

/** `force`: it is a duplicate of none, and its classifier does not close it. */
export interface ClosedTask extends Pick<TaskTerms, 'force'> {
  /** Its id. */
  readonly again: string;
  /** How many runs it had, as far as is known: the host may know of more. */
  readonly runs: number;
  /** Why, for whoever looks later. */
  readonly note: string | null;
}

export interface NewTask extends TaskTerms {
  readonly run: RunOfTask;
}

export interface CreateMessage {
  readonly kind: 'create';
  /** The same again is answered as it was. Source: S-06. */
  readonly key: string;
  /** As somebody wrote it. */
  readonly repo: string;
  /** A host id. */
  readonly host: string;
  readonly by: string | null;
  readonly tasks: readonly TaskToCreate[];
  /** Of the tasks as JSON. */
  readonly bytes: number;
  /** They are compared, and nothing is kept of them. Source: S-20. */
  readonly dryRun?: true;
}

/** What became of one task of a `create`, in its order. */
export type Verdict =
  | { readonly kind: 'created' | 'known'; readonly id: string; readonly title: string }
  /** It has a number, and is closed. Source: S-18. */
  | ({ readonly kind: 'duplicate'; readonly id: string; readonly title: string } & DuplicateFound)
  /** By a dry run. `possible`: ids. */
  | { readonly kind: 'compared'; readonly duplicate: DuplicateFound | null; readonly possible: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string };

export interface DuplicateFound extends Omit<DuplicateOf, 'isEqual'> {
  readonly reason: string;
}

export interface CreateAnswer extends MessageAnswer {
  /** Null: its host is away; the tasks are kept and taken in once it is back. */
  readonly verdicts: readonly Verdict[] | null;
}

export interface AdmitInput {
  readonly project: string;
  readonly repo: string;
  /** Of the repository whose backlog it is; null: of the first that comes. */
  readonly repoKey: string | null;
  readonly by: string | null;
  /** The highest number that the backlog knows of. */
  readonly known: number;
  readonly tasks: readonly AdmitTask[];
  /** What has closed since this was last told; missing: nothing, or nobody wants to know. */
  readonly closed?: readonly ClosedItem[];
  readonly dryRun?: true;
}

/** `recompare`: what was said of it was not believed, for it resembled what is closed by now. */
export type AdmitTask = TaskToCreate & { readonly key: string; readonly recompare?: true };

export interface AdmitResult {
  readonly host: string;
  /** Real path. */
  readonly repo: string;
  readonly repoKey: string;
  readonly terms: BacklogTerms;
  /** Tasks are compared here: it wants to hear what closes. */
  readonly compares?: true;
  /** In the order of the input. `isKnown`: it was admitted before, under this key. */
  readonly tasks: readonly (
    | { readonly kind: 'admitted'; readonly isKnown: boolean; readonly item: ItemInput }
    /** By a dry run. */
    | { readonly kind: 'compared'; readonly dedup: TaskDedup }
    | { readonly kind: 'refused'; readonly why: string }
  )[];
}

export interface FindBacklogInput {
  readonly repo: string;
  /** Null: what is checked out. */
  readonly base: string | null;
}

export interface FindBacklogResult {
  readonly hostId: string;
  readonly project: string;
}

export interface HandInInput {
  readonly project: string;
  /** Argument of `create`, of one task. */
  readonly create: Readonly<Record<string, unknown>>;
}

export interface StartItemsInput {
  readonly items: readonly ItemInput[];
}

export interface TellBacklogInput {
  readonly project: string;
  readonly row: ItemRow;
}

/** Messages of people, each as an Update and as a Signal. */
/** `compare`: a `create` that keeps nothing. */
export const BACKLOG_UPDATES = ['create', 'compare', 'pause', 'resume', 'abort', 'set'] as const;
export type BacklogMessageName = (typeof BACKLOG_UPDATES)[number];
export const ITEM_CHANGED_SIGNAL = 'itemChanged';
export const BACKLOG_SIGNALS = [...BACKLOG_UPDATES, ITEM_CHANGED_SIGNAL] as const;

export type BacklogMessage =
  | CreateMessage
  /** `abort`: a pause, and what is at work is stopped. */
  | { readonly kind: 'pause' | 'resume' | 'abort'; readonly by: string | null }
  | { readonly kind: 'set'; readonly by: string | null; readonly changes: TermChanges }
  | { readonly kind: typeof ITEM_CHANGED_SIGNAL; readonly row: ItemRow };

/** What can be said of a backlog beside its config. Null: as that has it; left out: as it is. */
export type TermChanges = { readonly [Key in keyof SetTerms]: SetTerms[Key] | null };
export type SetTerms = Partial<Pick<BacklogTerms, (typeof SET_TERMS)[number]>>;
export const SET_TERMS = ['maxConcurrent', 'order', 'conflicts'] as const;

/** Why an item that is queued does not run yet; the first that holds. `news`: the backlog was begun anew, and a task has not told yet how it stands. `hold`: somebody paused it. */
export const WAITS_FOR = ['pause', 'news', 'hold', 'dependency', 'files', 'slot'] as const;

export interface WaitsFor {
  readonly kind: (typeof WAITS_FOR)[number];
  /** Id of the task that it waits for; null: no single one. */
  readonly holder: string | null;
}

/** Of an open item. */
export interface BacklogEntry extends Pick<ItemRow, 'id' | 'state' | 'slot' | 'runs'> {
  readonly priority: number;
  /** Null: it is not queued. */
  readonly waitsFor: WaitsFor | null;
  /** Ids of tasks at work that may touch a file of it. */
  readonly meets: readonly string[];
}

/** Answer of Query `status`. */
export interface BacklogView {
  readonly project: string;
  /** Null: nothing was admitted yet. */
  readonly repo: string | null;
  readonly terms: BacklogTerms;
  /** Of the terms, what somebody said beside the config. */
  readonly set: SetTerms;
  readonly isPaused: boolean;
  /** Its host does not take tasks in: since when, ISO 8601. Null: it does. */
  readonly awaySince: string | null;
  /** Tasks that wait to be taken in. */
  readonly waiting: number;
  readonly slots: number;
  readonly counts: Readonly<Record<Exclude<ItemStateName, 'closed'>, number>>;
  /** The first of those that are open, in the order in which they are to start. */
  readonly entries: readonly BacklogEntry[];
}

export function readBacklogMessage(name: string, argument: unknown): MessageReading<BacklogMessage> {
  // A list is what the worker makes of a payload that cannot be read.
  if (Array.isArray(argument)) return bad(`the argument of ${name} must be an object`);
  const fields = fieldsOf(argument);
  if (name === 'pause' || name === 'resume' || name === 'abort')
    return { kind: 'ok', message: { kind: name, by: byIn(fields) } };
  if (name === 'set') return readSet(fields);
  if (name === 'create') return readCreate(fields);
  if (name === 'compare') return readCompare(fields);
  const row = rowIn(fields);
  if (name !== ITEM_CHANGED_SIGNAL || row === null) return bad(`the argument of ${name} cannot be read`);
  return { kind: 'ok', message: { kind: name, row } };
}

const SET_FIELDS: readonly string[] = ['by', 'requestId', ...SET_TERMS];

/** Errors: as data, each with its field. */
function readSet(fields: Fields): MessageReading<BacklogMessage> {
  const unknown = Object.keys(fields).find((field) => !SET_FIELDS.includes(field));
  if (unknown !== undefined)
    return bad(`"${unknown.slice(0, 60)}" is not a field of set; known are ${SET_FIELDS.join(', ')}`);
  const { maxConcurrent, order, conflicts } = fields;
  const isNumber = typeof maxConcurrent === 'number' && Number.isInteger(maxConcurrent);
  if (maxConcurrent != null && !(isNumber && maxConcurrent >= 1 && maxConcurrent <= MAX_CONCURRENT))
    return bad(`set.maxConcurrent must be an integer from 1 to ${MAX_CONCURRENT}, or null for what the config says`);
  if (order != null && wordIn(fields, 'order', ORDERS) === null)
    return bad(`set.order must be ${ORDERS.join(', ')}, or null for what the config says`);
  if (conflicts != null && wordIn(fields, 'conflicts', CONFLICTS) === null)
    return bad(`set.conflicts must be ${CONFLICTS.join(' or ')}, or null for what the config says`);
  const changes: TermChanges = {
    ...(maxConcurrent === undefined ? {} : { maxConcurrent: amountIn(fields, 'maxConcurrent') }),
    ...(order === undefined ? {} : { order: wordIn(fields, 'order', ORDERS) }),
    ...(conflicts === undefined ? {} : { conflicts: wordIn(fields, 'conflicts', CONFLICTS) }),
  };
  return Object.keys(changes).length === 0
    ? bad(`set must say at least one of ${SET_TERMS.join(', ')}`)
    : { kind: 'ok', message: { kind: 'set', by: byIn(fields), changes } };
}

const CREATE_FIELDS: readonly string[] = ['key', 'requestId', 'repo', 'host', 'by', 'tasks'];
const TASK_FIELDS: readonly string[] = ['task', ...RUN_FIELDS, ...TASK_TERMS];

/** Errors: as data, each with its field. Source: S-04. */
function readCreate(fields: Fields): MessageReading<CreateMessage> {
  const unknown = Object.keys(fields).find((field) => !CREATE_FIELDS.includes(field));
  if (unknown !== undefined)
    return bad(`"${unknown.slice(0, 60)}" is not a field of create; known are ${CREATE_FIELDS.join(', ')}`);
  const [key, repo, host] = [nameIn(fields, 'key'), nameIn(fields, 'repo'), nameIn(fields, 'host')];
  if (key === null || key.length > MAX_KEY_CHARS)
    return bad(
      `create.key must be a text of 1 to ${MAX_KEY_CHARS} characters: sent again under it, it is the same create`,
    );
  if (repo === null || !repo.startsWith('/'))
    return bad('create.repo must be the absolute path of a git repository on the host');
  if (host === null) return bad('create.host must be the id of a host, as its sluice home has it');
  const { tasks: given } = fields;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_CREATE_TASKS)
    return bad(
      `create.tasks must be a list of 1 to ${MAX_CREATE_TASKS} tasks${Array.isArray(given) ? `; it has ${given.length}` : ''}`,
    );
  const bytes = utf8Length(JSON.stringify(given));
  if (bytes > MAX_CREATE_BYTES)
    return bad(`the tasks of a create have at most ${MAX_CREATE_BYTES} bytes; these have ${bytes}. Make two of it`);
  const tasks: TaskToCreate[] = [];
  for (const [index, task] of given.entries()) {
    const reading = readTask({ at: `create.tasks[${index}]`, place: index + 1, repo }, task);
    if (reading.kind === 'bad') return reading;
    tasks.push(reading.message);
  }
  return { kind: 'ok', message: { kind: 'create', key, repo, host, by: byIn(fields), tasks, bytes } };
}

/** It waits for its answer as a create does, under a key that none has. Source: S-20. */
function readCompare(fields: Fields): MessageReading<CreateMessage> {
  const reading = readCreate(fields);
  if (reading.kind === 'bad') return { ...reading, why: reading.why.replaceAll('create.', 'compare.') };
  const { message } = reading;
  if (message.tasks.some((task) => 'again' in task)) return bad('compare.tasks: a task that is there is not compared');
  return { kind: 'ok', message: { ...message, key: `compare ${message.key}`, dryRun: true } };
}

const MAX_KEY_CHARS = 200;

interface TaskPlace {
  /** As people read it. */
  readonly at: string;
  /** From 1. */
  readonly place: number;
  readonly repo: string;
}

function readTask({ at, place, repo }: TaskPlace, value: unknown): MessageReading<TaskToCreate> {
  if (!isRecord(value)) return bad(`${at} must be an object like {"task":"…"}`);
  if (value['again'] !== undefined) return readClosed(at, value);
  const unknown = Object.keys(value).find((field) => !TASK_FIELDS.includes(field));
  if (unknown !== undefined)
    return bad(`${at}: "${unknown.slice(0, 60)}" is not a field of a task; known are ${TASK_FIELDS.join(', ')}`);
  const reading = readTaskTerms(value, place);
  const run = withoutTerms(value);
  const why = whyNoDescription(run['task']);
  if (why !== null) return bad(`${at}.task ${why}`);
  if (reading.kind === 'bad') return bad(`${at}.${reading.field} ${reading.why}`);
  const check = checkRunInput({ ...run, repo });
  if (check.kind === 'bad') return bad(`${at}.${check.field}: ${check.message}`);
  const { repo: _repo, ...input } = check.input;
  const { terms } = reading;
  const told = terms.kind === 'answer' ? { ...input, policy: { ...ANSWERING, ...input.policy } } : input;
  return { kind: 'ok', message: { run: told, ...terms } };
}

/** Unless the task itself says by which stages it is answered. */
const ANSWERING = { stageList: 'plan-only' };

function readClosed(at: string, { again, runs = 0, note, force = false, ...rest }: Fields): MessageReading<ClosedTask> {
  const [more] = Object.keys(rest);
  if (more !== undefined) return bad(`${at}: "${more.slice(0, 60)}" cannot be said of a task that goes on`);
  if (typeof again !== 'string' || !isItemId(again)) return bad(`${at}.again must be the number of a task, as a text`);
  if (typeof runs !== 'number' || !Number.isInteger(runs) || runs < 0 || runs > MAX_RUNS)
    return bad(`${at}.runs must be an integer from 0 to ${MAX_RUNS}`);
  const noForce = whyNoForce(force);
  if (noForce !== null) return bad(`${at}.force ${noForce}`);
  const said = textIn({ note }, 'note')?.slice(0, MAX_NOTE_CHARS) ?? null;
  return { kind: 'ok', message: { again, runs, note: said, ...(force === true ? { force } : {}) } };
}

/** Of one task. */
const MAX_RUNS = 10_000;

/** Null: it is a description. */
export function whyNoDescription(text: unknown): string | null {
  if (typeof text !== 'string' || textIn({ text }, 'text') === null) return 'must say what to do';
  if (/[\uD800-\uDFFF]/u.test(text)) return 'is not valid Unicode: half of a surrogate pair stands alone';
  const bytes = utf8Length(text);
  return bytes > MAX_DESCRIPTION_BYTES
    ? `has ${bytes} bytes; at most ${MAX_DESCRIPTION_BYTES} are taken. Put long material into a file of the repository and name it`
    : null;
}

function rowIn(fields: Fields): ItemRow | null {
  const id = nameIn(fields, 'id');
  const [version, since, runs] = [wholeIn(fields, 'version'), wholeIn(fields, 'since'), wholeIn(fields, 'runs')];
  const state = wordIn(fields, 'state', ITEM_STATES);
  if (id === null || !isItemId(id) || version === null || since === null || runs === null || state === null)
    return null;
  const links = { needs: namesIn(fields, 'needs').filter(isItemId), files: namesIn(fields, 'files'), by: byIn(fields) };
  return {
    id,
    version,
    state,
    reason: wordIn(fields, 'reason', ITEM_REASONS),
    slot: fields['slot'] === true,
    since,
    runs,
    priority: priorityIn(fields),
    ready: nameIn(fields, 'ready'),
    held: fields['held'] === true,
    ...links,
    linked: wholeIn(fields, 'linked') ?? 0,
  };
}

/** It stands in each row. */
function byIn(fields: Fields): string | null {
  return textIn(fields, 'by')?.slice(0, MAX_BY_CHARS) ?? null;
}

const MAX_BY_CHARS = 200;

function priorityIn({ priority }: Fields): number {
  return typeof priority === 'number' && Number.isFinite(priority) ? priority : 0;
}

/** The workflow sandbox has no Buffer. */
function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function bad(why: string): { readonly kind: 'bad'; readonly why: string } {
  return { kind: 'bad', why };
}

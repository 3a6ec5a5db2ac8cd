/**
 * The tasks of a batch, read from its start input and given their run ids. Pure: no SDK, no clock.
 * A run id is made of the batch's own id and a hash of the task, so that the same task in the same batch is the same run, whenever it is
 * started; how the client sends it (host, hash of the config) is no part of it. Different tasks of one list never share an id.
 */
import {
  BATCH_TARGETS,
  type BatchEntry,
  type BatchTarget,
  checkBatchTask,
  DEFAULT_BATCH_CONCURRENCY,
  MAX_BATCH_BYTES,
  MAX_BATCH_CONCURRENCY,
} from '../../protocol/actors/batch.js';
import { MAX_BATCH_TASKS } from '../../protocol/limits.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import { isRunId, runIdOfWorkflow } from '../../protocol/run/run-id.js';
import type { Fields } from '../../protocol/text/fields.js';
import { isRecord } from '../../protocol/text/json.js';
import { shortHash } from '../../protocol/text/short-hash.js';

export type BatchCheck =
  | {
      readonly kind: 'ok';
      readonly tasks: readonly BatchEntry[];
      readonly concurrency: number;
      readonly to: BatchTarget;
    }
  /** `field` names the entry, for instance `tasks[3].repo`. */
  | { readonly kind: 'bad'; readonly field: string; readonly message: string };

export interface PlannedTask {
  readonly runId: string;
  readonly input: RunInput;
  readonly terms: Fields;
  /** Counted from 1: an earlier entry that is the same task. */
  readonly sameAs: number | null;
}

const FIELDS: readonly string[] = ['tasks', 'defaults', 'concurrency', 'to'];
const MAX_ID_CHARS = 80;
const HASH_CHARS = 8;
const MAX_BATCH_ID_CHARS = MAX_ID_CHARS - HASH_CHARS - 1;

/** Shape: every task has its defaults, and `attended: false` where nobody said otherwise. */
export function checkBatchInput(value: unknown): BatchCheck {
  if (!isRecord(value))
    return bad('input', 'the start input must be an object like {"defaults":{"repo":"/path"},"tasks":[{"task":"…"}]}');
  const unknown = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) {
    return bad(
      unknown.slice(0, 60),
      `"${unknown.slice(0, 60)}" is not a field of a batch; known are ${FIELDS.join(', ')}`,
    );
  }
  const { tasks, defaults = {}, concurrency = DEFAULT_BATCH_CONCURRENCY } = value;
  if (!Array.isArray(tasks) || tasks.length === 0 || tasks.length > MAX_BATCH_TASKS) {
    return bad(
      'tasks',
      `tasks must be a list of 1 to ${MAX_BATCH_TASKS} tasks${Array.isArray(tasks) ? `; it has ${tasks.length}` : ''}`,
    );
  }
  if (!isRecord(defaults)) return bad('defaults', 'defaults must be an object with fields of a task, or be left out');
  if (!isConcurrency(concurrency)) {
    return bad('concurrency', `concurrency must be an integer from 1 to ${MAX_BATCH_CONCURRENCY}, or be left out`);
  }
  const to = BATCH_TARGETS.find((target) => target === (value['to'] ?? 'runs'));
  if (to === undefined) return bad('to', `to must be ${BATCH_TARGETS.join(' or ')}, or be left out`);
  return checkTasks(tasks, defaults, { concurrency, to });
}

/** The batch's part of its run ids: the workflow id where it can be one, else what is left of it and a hash of the whole. */
export function batchIdOf(workflowId: string): string {
  const plain = runIdOfWorkflow(workflowId);
  if (plain.length <= MAX_BATCH_ID_CHARS && isRunId(`${plain}-0`)) return plain;
  const readable = plain
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_BATCH_ID_CHARS - HASH_CHARS - 1);
  return `${readable === '' ? 'batch' : readable}-${shortHash(workflowId)}`;
}

export function planTasks(batchId: string, tasks: readonly BatchEntry[]): readonly PlannedTask[] {
  const entryOf = new Map<string, number>();
  const takenBy = new Map<string, string>();
  return tasks.map(({ input, terms }, index) => {
    const whole = canonicalJson(terms['kind'] === 'answer' ? { ...input, kind: 'answer' } : input);
    const sameAs = entryOf.get(whole) ?? null;
    if (sameAs === null) entryOf.set(whole, index + 1);
    return { runId: `${batchId}-${freeHash(input, whole, takenBy)}`, input, terms, sameAs };
  });
}

/** Keys sorted at every depth, so that the order in which a person writes them does not matter. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
    .join(',')}}`;
}

/** The same whole task gets the same hash again; another one that falls on a taken hash gets the next. */
function freeHash(input: RunInput, whole: string, takenBy: Map<string, string>): string {
  const { host: _host, configHash: _configHash, ...what } = input;
  const text = canonicalJson(what);
  for (let round = 0; ; round += 1) {
    const hash = shortHash(round === 0 ? text : `${whole}#${round}`);
    const owner = takenBy.get(hash);
    if (owner !== undefined && owner !== whole) continue;
    takenBy.set(hash, whole);
    return hash;
  }
}

function checkTasks(
  tasks: readonly unknown[],
  defaults: Record<string, unknown>,
  terms: Pick<Extract<BatchCheck, { kind: 'ok' }>, 'concurrency' | 'to'>,
): BatchCheck {
  const entries: BatchEntry[] = [];
  let bytes = 0;
  for (const [index, task] of tasks.entries()) {
    const at = `tasks[${index}]`;
    if (!isRecord(task)) return bad(at, `${at} must be an object like {"task":"…"}`);
    const check = checkBatchTask({ ...defaults, ...task }, terms.to);
    if (check.kind === 'bad') {
      const place = !(check.field in task) && check.field in defaults ? 'defaults' : at;
      return bad(`${place}.${check.field}`, `${place}.${check.field}: ${check.message}`);
    }
    const { input, terms: said } = check.entry;
    const entry: BatchEntry = { input: { ...input, attended: input.attended ?? false }, terms: said };
    bytes += new TextEncoder().encode(JSON.stringify(entry)).length;
    entries.push(entry);
  }
  if (bytes > MAX_BATCH_BYTES) {
    return bad(
      'tasks',
      `the tasks with their defaults have ${bytes} bytes; at most ${MAX_BATCH_BYTES} are taken. Make two batches of them`,
    );
  }
  return { kind: 'ok', tasks: entries, ...terms };
}

function isConcurrency(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_BATCH_CONCURRENCY;
}

function bad(field: string, message: string): BatchCheck {
  return { kind: 'bad', field, message };
}

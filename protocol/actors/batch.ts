/** A batch: a list of tasks as child runs. Source: docs/batches.md. */
import type { RunInput } from '../messages/messages.js';
import { checkRunInput } from '../messages/run-input.js';
import type { BlockedReason, RunOutcome } from '../run/outcomes.js';
import type { Fields } from '../text/fields.js';
import { readTaskTerms, TASK_TERMS, type TaskTerms, withoutTerms } from './task-terms.js';

/** One line of the file, or one entry of the start input; what it does not say comes from the batch. */
export type BatchTask = Partial<RunInput> & Pick<RunInput, 'task'> & Partial<TaskTerms>;

/** Start input of `batch`, tolerant like that of a run. */
export interface BatchInput {
  readonly tasks: readonly BatchTask[];
  /** For every task that does not say its own. */
  readonly defaults?: Partial<RunInput> & Partial<TaskTerms>;
  /** Runs at once; 2 where it is missing. */
  readonly concurrency?: number;
  /** `backlog`: they are handed in there, and run when their turn comes. Where it is missing they run now. */
  readonly to?: BatchTarget;
}

export const BATCH_TARGETS = ['runs', 'backlog'] as const;
export type BatchTarget = (typeof BATCH_TARGETS)[number];

export const DEFAULT_BATCH_CONCURRENCY = 2;

/** Agents are heavy; more at once than this is the business of several batches. */
export const MAX_BATCH_CONCURRENCY = 50;

/** All tasks with their defaults filled in: up to 50 start in one workflow task, and the server takes 4 MB in one call. */
export const MAX_BATCH_BYTES = 3 * 1024 * 1024;

/** The workflow id of a named batch; a schedule appends a time to it. */
export function batchWorkflowId(name: string): string {
  return `batch:${name}`;
}

/**
 * `skipped`: a run of this task was started before by a batch of this id, or stands earlier in the list. `refused`: it could not start, or
 * ended without an outcome. `not_started`: the batch was aborted before its turn came. `handed_in`: it is in the backlog.
 */
export type BatchState = 'waiting' | 'running' | 'handed_in' | 'skipped' | 'ended' | 'refused' | 'not_started';

export interface BatchRow {
  /** Of a task that was handed in that of its first run. */
  readonly runId: string;
  readonly title: string;
  readonly state: BatchState;
  /** Null where it has not ended, or is not known: a skipped run is not asked. */
  readonly outcome: RunOutcome | null;
  readonly blockedReason: BlockedReason | null;
  readonly branch: string | null;
  readonly error: string | null;
}

/** Answer of the batch, and of its Query `status`. */
export interface BatchView {
  readonly batchId: string;
  readonly workflowId: string;
  readonly aborted: boolean;
  /** In the order of the input. */
  readonly rows: readonly BatchRow[];
}

/** One task with its defaults. `terms`: as they are sent to a backlog; empty where it runs now. */
export interface BatchEntry {
  readonly input: RunInput;
  readonly terms: Fields;
}

export type BatchTaskCheck =
  | { readonly kind: 'ok'; readonly entry: BatchEntry }
  | { readonly kind: 'bad'; readonly field: string; readonly message: string };

/** Of one list each is handed in by itself, so that a task waits for others by their numbers alone. */
export function checkBatchTask(fields: Record<string, unknown>, to: BatchTarget): BatchTaskCheck {
  const isHandedIn = to === 'backlog';
  const reading = readTaskTerms(fields, 0);
  if (isHandedIn && reading.kind === 'bad') return { kind: 'bad', field: reading.field, message: reading.why };
  const check = checkRunInput(isHandedIn ? withoutTerms(fields) : fields);
  if (check.kind === 'bad') return check;
  const terms = isHandedIn ? fieldsWithin(fields, TASK_TERMS) : {};
  return { kind: 'ok', entry: { input: check.input, terms } };
}

function fieldsWithin(fields: Record<string, unknown>, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

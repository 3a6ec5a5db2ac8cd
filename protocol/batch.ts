/** A batch: a list of tasks as child runs. Source: design "Workflows" and "A run, in order". */
import type { RunInput } from './messages.js';
import type { BlockedReason, RunOutcome } from './outcomes.js';

/** One line of the file, or one entry of the start input; what it does not say comes from the batch. */
export type BatchTask = Partial<RunInput> & Pick<RunInput, 'task'>;

/** Start input of `batch`, tolerant like that of a run. */
export interface BatchInput {
  readonly tasks: readonly BatchTask[];
  /** For every task that does not say its own. */
  readonly defaults?: Partial<RunInput>;
  /** Runs at once; 2 if unsaid. */
  readonly concurrency?: number;
}

/** `skipped`: a run of this task was started before by a batch of this id. `refused`: it could not start, or ended without an outcome. */
export type BatchState = 'waiting' | 'running' | 'skipped' | 'ended' | 'refused';

export interface BatchRow {
  readonly runId: string;
  readonly title: string;
  readonly state: BatchState;
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

/** Numbers that several parts must agree on. Each says where it comes from. */

/** Journal events at which a run ends `blocked`, `journal_full`. Source: docs/design.md "Files and journal". */
export const MAX_JOURNAL_EVENTS = 2000;

/** Unit: events and bytes of one run's history. */
export interface HistoryBounds {
  readonly events: number;
  readonly bytes: number;
}

/**
 * From here on a run ends `blocked`, `history_full`, at its next boundary or where it waits: half of what a server's defaults terminate at.
 * Source: temporalio/temporal, common/dynamicconfig: limit.historyCount.error 51 200, limit.historySize.error 50 MiB.
 */
export const FULL_HISTORY: HistoryBounds = { events: 25_600, bytes: 25 * 1024 * 1024 };

/** From here on it ends in the middle of a turn too, as by an abort: what is left of the server's room is for the end. */
export const LAST_HISTORY: HistoryBounds = { events: 40_960, bytes: 40 * 1024 * 1024 };

/** A task longer than this is refused: it travels in every history and prompt. */
export const MAX_TASK_BYTES = 256 * 1024;

/** Unit: bytes of UTF-8 of one prompt; about 50 000 tokens, a quarter of a usual context window. */
export const DEFAULT_CONTEXT_BYTES = 200_000;

/** Titles are one line in lists and in the Web UI. */
export const MAX_TITLE_CHARS = 120;

/** The answer of a turn, so that histories stay small. Source: docs/design.md "A run, in order". */
export const MAX_TURN_RESULT_BYTES = 8 * 1024;

/** One sentence for people: `why` of an outcome, `error` of a view. */
export const MAX_SENTENCE_CHARS = 300;

/** Starts of one command lost in a row without an exit. Source: docs/decisions/0007-units-of-retry.md. */
export const MAX_LOST_STARTS = 3;

/** Read-only turns of one run that may be rolled back before the run ends `blocked`. Source: V-127. */
export const MAX_READ_ONLY_VIOLATIONS = 2;

/** How long an aborted run waits for its host before it closes without a report. Source: docs/decisions/0007-units-of-retry.md. */
export const ABORT_CLOSE_WAIT = '30 seconds';

/** How long a run without a named host waits for any host. Source: docs/decisions/0007-units-of-retry.md. */
export const PICK_HOST_WAIT = '30 seconds';

/** Rename and steer are refused from here on, so that a run that is near its limit can still end. Source: docs/design.md "Files and journal". */
export const LAST_FREE_JOURNAL_EVENTS = 1900;

/** The text of a steer, note, reason or answer. */
export const MAX_NOTE_CHARS = 4000;

/** Names of people and ids in messages. */
export const MAX_BY_CHARS = 200;
export const MAX_REQUEST_ID_CHARS = 200;

/** Steers that wait for a turn. */
export const MAX_WAITING_NOTES = 50;

/** Request ids that a workflow remembers. */
export const MAX_KNOWN_REQUESTS = 200;

/** How long a worker that is killed while it decides holds a workflow up; the default is 10 s. */
export const WORKFLOW_TASK_TIMEOUT = '5 seconds';

/** Lines `message.refused` of one run. */
export const MAX_REFUSED_LINES = 100;

/** Fix rounds that a policy may allow. Source: V-23. */
export const MAX_ROUNDS = 20;

/** Reminders of one gate: a gate may stay open for a year. */
export const MAX_REMINDERS = 10;

/** Findings of one review that are kept. */
export const MAX_FINDINGS = 50;

/** Tasks of one batch: its history must stay below the server's limit. */
export const MAX_BATCH_TASKS = 500;

/** Events of one journal batch: the server refuses a payload of 2 MB, and warns at a quarter of that. */
export const MAX_BATCH_CHARS = 400_000;

/** Numbers that several parts must agree on. Each says where it comes from. */

/** Journal events at which a run ends `blocked`, `journal_full`. Source: design "Files and journal". */
export const MAX_JOURNAL_EVENTS = 2000;

/** A task longer than this is refused: it travels in every history and prompt. */
export const MAX_TASK_BYTES = 256 * 1024;

/** Titles are one line in lists and in the Web UI. */
export const MAX_TITLE_CHARS = 120;

/** The answer of a turn, so that histories stay small. Source: design "A run, in order" 3. */
export const MAX_TURN_RESULT_BYTES = 8 * 1024;

/** One sentence for people: `why` of an outcome, `error` of a view. */
export const MAX_SENTENCE_CHARS = 300;

/** Starts of one command lost in a row without an exit. Source: design "Host activities". */
export const MAX_LOST_STARTS = 3;

/** Read-only turns of one run that may be rolled back before the run ends `blocked`. Source: V-127. */
export const MAX_READ_ONLY_VIOLATIONS = 2;

/** How long an aborted run waits for its host before it closes without a report. Source: design "Host activities". */
export const ABORT_CLOSE_WAIT = '30 seconds';

/** How long a run without a named host waits for any host. Source: design "Layout". */
export const PICK_HOST_WAIT = '30 seconds';

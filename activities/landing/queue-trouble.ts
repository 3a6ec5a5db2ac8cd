/**
 * What git or the file system says about the work of a merge queue that no retry can mend, such as a clone that somebody deleted: its owner is told, and those behind it go on.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../protocol/failures.js';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import { printableLine } from '../../protocol/text/printable.js';
import { redact } from '../../protocol/text/redact.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { GitError } from '../git/start/run-git.js';

/** Over about a quarter of a minute: what somebody else did in the same moment, as to a ref, is over by then, and the few attempts that were lost with a worker tell nothing. */
const TRIES = 10;

/** Errors: those of `work`; BadRepository for lasting trouble that was met again and again. */
export async function tellingTrouble<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const why = isWordless(error) ? null : lastingTrouble(error);
    if (why === null || Context.current().info.attempt < TRIES) throw error;
    // Redacted before it is cut: half a token has no shape.
    const message = printableLine(redact(why)).slice(0, MAX_SENTENCE_CHARS);
    throw ApplicationFailure.create({ type: FAILURES.BadRepository, message, nonRetryable: true });
  }
}

/** As where the system killed it for its memory, which may do with less another time. */
function isWordless(error: unknown): boolean {
  return error instanceof GitError && error.result.stderr.trim() === '';
}

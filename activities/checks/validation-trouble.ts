/**
 * Tells what git or the file system says about a validation that no retry can mend: the same repository gives the same answer however often it
 * is asked. Trouble that passes with time (somebody holds a lock, the host is short of something) stays an error, and the activity is tried again.
 */

import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../protocol/failures.js';
import { printableLine } from '../../protocol/text/printable.js';
import { redact } from '../../protocol/text/redact.js';
import { refusalFailure } from '../../protocol/text/refusal.js';
import { shellWord } from '../../protocol/text/shell-word.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import type { RunOnHost } from '../unit/run-record.js';

/** Null: it may pass with time. */
export function validationImpossible({ record }: RunOnHost, commit: string, error: unknown): ApplicationFailure | null {
  const what = lastingTrouble(error);
  if (what === null) return null;
  // Redacted before it is cut: half a token has no shape.
  const said = printableLine(redact(what)).slice(0, 200);
  const parts = {
    what: `Commit ${commit.slice(0, 12)} of run ${record.runId} cannot be validated: ${said}`,
    why: 'Checks run on the commit itself, in a checkout of the engine, so git must be able to make one.',
    now: 'The run ends here; its branch and what earlier turns did stay.',
    mend: `Look: git -C ${shellWord(record.repository.root)} fsck --connectivity-only`,
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.BadRepository, parts));
}

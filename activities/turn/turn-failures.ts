/** Failures that end an activity for good, with the command that mends them. */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../protocol/failures.js';
import { refusalFailure } from '../../protocol/text/refusal.js';

const MEND =
  'Name one: sluice run "<task>" --agent command -- <program>    or keep one: sluice init --agent command -- <program>';

/** `now` is what is true: before the run is opened nothing was started, in mid-run earlier turns stand. */
export function badAgent(
  what: string,
  now = 'The run ends here; what earlier turns did stays.',
  mend = MEND,
): ApplicationFailure {
  const why = 'An agent is a program on PATH, or an absolute path, outside the repository.';
  return ApplicationFailure.create(refusalFailure(FAILURES.BadAgent, { what: `${what}.`, why, now, mend }));
}

import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../protocol/failures.js';
import { refusalFailure } from '../../protocol/text/refusal.js';

/** A key of an agent without which its adapter has nothing to start. */
export function badSetting(what: string, why: string): ApplicationFailure {
  const parts = { what, why, now: 'No agent was started.', mend: 'Set it in the config and check it: sluice config' };
  return ApplicationFailure.create(refusalFailure(FAILURES.BadAgent, parts));
}

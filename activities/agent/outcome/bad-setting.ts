import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../../protocol/failures.js';
import { refusalFailure } from '../../../protocol/text/refusal.js';
import type { TurnRequest } from '../contract.js';

/** A key of an agent without which its adapter has nothing to start. `needs`: what stands in it. */
export function badSetting(
  { config: { adapter }, stagePolicy: { agent } }: TurnRequest,
  { key, found = 'is not set', needs }: { readonly key: string; readonly found?: string; readonly needs: string },
): ApplicationFailure {
  const parts = {
    what: `agents.${agent}.${key} ${found}.`,
    why: `An agent with the adapter "${adapter}" needs ${needs}.`,
    now: 'No agent was started.',
    mend: 'Set it in the config and check it: sluice config',
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.BadAgent, parts));
}

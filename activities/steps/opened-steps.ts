/** The steps that a run works through, for its workflow. */
import type { OpenedStep } from '../../protocol/messages/run-steps.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { RunOnHost } from '../unit/run-record.js';
import { readGivenPlan } from './given-steps.js';
import { openSteps } from './step-records.js';

/** Null: its change is made by one turn. Errors: as of `readGivenPlan`. */
export function openedSteps(deps: HostDeps, run: RunOnHost): readonly OpenedStep[] | null {
  const { policy, rewound } = run.record;
  if (policy.execute.until === 'once') return null;
  const plan = readGivenPlan(deps, run);
  return plan === null ? null : openSteps(plan, rewound?.inherited ?? []);
}

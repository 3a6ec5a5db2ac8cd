/**
 * Runs the checks of a base on a candidate, in the checkout of its queue. A queue that began anew takes the checkout of the one before it, once nothing of that one lives.
 * Idempotency: by place, as every check.
 */
import { Context } from '@temporalio/activity';
import { endingWith } from '../../config/system/ending-signal.js';
import type { CheckTreeInput, CheckTreeResult } from '../../protocol/actors/merge-queue.js';
import { checkCommit } from '../checks/check-commit.js';
import { outcomeOfReport } from '../checks/classify-validation.js';
import { hashChecks } from '../checks/hash-checks.js';
import { readOwner, takeOver } from '../git/worktree/owner-mark.js';
import { atPlace } from '../unit/at-place.js';
import { findBaseChecks } from './base-checks.js';
import { type AtQueue, findQueuePlace, type LandingDeps } from './queue-place.js';
import { tellingTrouble } from './queue-trouble.js';

export function createCheckTree(deps: LandingDeps): (input: CheckTreeInput) => Promise<CheckTreeResult> {
  return (input) =>
    atPlace<CheckTreeResult, AtQueue['workplace']>(deps, {
      name: 'check',
      input,
      find: () => findQueuePlace(deps, { ...input, ...input.entry }),
      isSealed: false,
      work: (at) => tellingTrouble(() => endingWith(at.signals.cancel, () => checkTree(at, input))),
    });
}

async function checkTree(at: AtQueue, { queue, commit, on }: CheckTreeInput): Promise<CheckTreeResult> {
  const checks = await findBaseChecks(at, { branch: queue.branch, on });
  if (checks.kind === 'held') return { outcome: 'held', reason: checks.reason, why: checks.why };
  await takeCheckout(at);
  const { workplace } = checks;
  const { report } = await checkCommit({ ...at, workplace }, { checks: 'landing', commit, baseSha: on, round: 0 });
  const outcome = outcomeOfReport(report, 'fix');
  const red = report.commands.filter(({ status }) => status === 'failed');
  return {
    tree: report.tree,
    checks: hashChecks(workplace.policy.checks.landing, { hostId: at.deps.hostId, workplace }),
    at: new Date().toISOString(),
    outcome: OUTCOMES[outcome.kind],
    why: 'why' in outcome ? outcome.why : null,
    isBaseRed: red.length > 0 && red.every(({ failedOnBase }) => failedOnBase),
  };
}

const OUTCOMES = {
  passed: 'green',
  no_commands: 'green',
  failed: 'red',
  base_failures_ignored: 'red',
  partial: 'unchecked',
  unavailable: 'unchecked',
} as const;

/** One queue of a name is open at a time, so whose execution is open is the owner. */
async function takeCheckout({ deps, workplace }: AtQueue): Promise<void> {
  const { checkout, owner, group } = workplace;
  const mark = await readOwner(checkout);
  if (mark === null || mark === 'broken' || mark.owner === owner) return;
  const execution = Context.current().info.workflowExecution;
  if (execution === undefined || !(await deps.isOpen(execution.workflowId, execution.runId))) return;
  await deps.processes.endGroup(group, 'aborted');
  await takeOver(checkout, mark.owner, owner);
}

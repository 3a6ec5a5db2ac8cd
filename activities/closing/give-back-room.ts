/** Room on the disk that a closed run does not need any more: at once what can be made again, and after `worktrees.keep` the worktree itself. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { log } from '@temporalio/activity';
import { messageOf } from '../../config/system/error-code.js';
import { lookAt } from '../../config/system/look-at.js';
import { dropSetupFiles } from '../checks/setup-files.js';
import { forgetSetup } from '../checks/validation-checkout.js';
import { readWorktreeLock } from '../git/refs/run-refs.js';
import { openRunGit } from '../git/run/open-run-git.js';
import { dropOwner, isAnothers } from '../git/worktree/owner-mark.js';
import { removeFolder, removeWorktree } from '../git/worktree/remove-worktree.js';
import { CLOSED_FILE, isClosedOnHost } from '../unit/closed-mark.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { ProjectionDeps } from '../unit/run-projection.js';
import { isBuried, type RunOnHost } from '../unit/run-record.js';
import type { Workplace } from '../unit/workplace.js';
import { landingsOf } from './run-landings.js';

/** The validation checkout, and what the set-up left in the worktree. Errors: none, for a run must not stay open for it; the worker's log has them. */
export async function giveBackRoom(deps: Pick<HostDeps, 'durability'> & ProjectionDeps, run: RunOnHost): Promise<void> {
  const { workplace } = run;
  const warn = deps.warn ?? ((message, fields) => log.warn(message, fields));
  try {
    await removeCheckout(workplace);
    if (!(await isAnothers(workplace.git.worktree, workplace.owner))) await dropSetupFiles(workplace, deps.durability);
  } catch (error) {
    const { runId } = run.record;
    warn('what a closed run needs no more could not be removed; `sluice clean` does it', {
      runId,
      error: messageOf(error),
    });
  }
}

/** Answers whether it was there. A later check makes it again, set-up included. */
export async function removeCheckout({
  stateDir,
  checkout,
}: Pick<Workplace, 'stateDir' | 'checkout'>): Promise<boolean> {
  forgetSetup(stateDir);
  const wasThere = await removeFolder(checkout);
  await dropOwner(checkout);
  return wasThere;
}

/**
 * Removes the worktree of a run that is closed for longer than its `worktrees.keep`; branch, refs and artifacts stay, and `git worktree add` makes it again.
 * Answers whether it did. It stays where anything in it is unsaved, a person locked it or moved its branch on, or a landing is open.
 */
export async function removeOldWorktree(deps: Pick<HostDeps, 'isOpen'>, run: RunOnHost, now: number): Promise<boolean> {
  const { record, stateDir, workplace } = run;
  const { repository, worktree, policy } = record;
  if (isBuried(record) || !isClosedOnHost(stateDir) || lookAt(worktree)?.isDirectory() !== true) return false;
  const { keptMs } = policy.worktree;
  const closedMs = now - statSync(join(stateDir, CLOSED_FILE)).mtimeMs;
  if (keptMs === null || closedMs < keptMs || !existsSync(repository.commonDir)) return false;
  for (const landing of landingsOf(record)) if (await deps.isOpen(landing, null)) return false;
  if (await isAnothers(worktree, record.firstExecutionRunId)) return false;
  if ((await readWorktreeLock(repository, worktree)) !== null) return false;
  const git = await openRunGit(workplace.git);
  const head = await git.head();
  if ((await git.root()).kind !== 'whole' || head === null || !(await git.standsAt(head))) return false;
  if ((await git.changes()).length > 0) return false;
  // A reset may have opened the run again meanwhile.
  if (!isClosedOnHost(stateDir)) return false;
  return removeWorktree(repository.commonDir, worktree);
}

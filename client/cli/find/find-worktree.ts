/** The worktree of a run, where it is on this machine. */
import { RefusedError } from '../../../protocol/text/refusal.js';
import { shellWord } from '../../../protocol/text/shell-word.js';
import { exists, viewOf } from '../../look/find-runs.js';
import { commitOf } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { findRun } from './find-run.js';

export interface FoundWorktree {
  readonly runId: string;
  readonly worktree: string;
}

/** Errors: RefusedError for a run that is not found, or has no worktree here. */
export async function findWorktree(
  context: Context,
  sluice: Sluice | null,
  asked: string | null,
): Promise<FoundWorktree> {
  const run = await findRun(context, sluice, asked);
  const view = await viewOf(run, sluice);
  const worktree = view?.worktree ?? null;
  if (worktree !== null && (await exists(worktree))) return { runId: run.runId, worktree };
  const hasBranch =
    view !== null && run.branch !== null && (await commitOf(view.repo, `refs/heads/${run.branch}`)) !== null;
  throw new RefusedError({
    what: `the run ${foreign(run.runId)} has no worktree on this machine${worktree === null ? '' : ` (it was ${foreign(worktree)})`}`,
    why: 'a worktree is made when a run opens and stays until it is removed; it lies on the host of the run',
    now: branchText(run.branch, hasBranch),
    mend:
      run.branch === null || !hasBranch
        ? `sluice status ${foreign(run.runId)}`
        : `git worktree add <folder> ${shellWord(foreign(run.branch))}`,
  });
}

function branchText(branch: string | null, isThere: boolean): string {
  if (branch === null) return 'The run has no branch yet.';
  return isThere ? `Its branch is ${foreign(branch)}.` : `Its branch ${foreign(branch)} is gone too.`;
}

/** `sluice path`: the worktree of a run and nothing else, so that `cd "$(sluice path)"` works. */
import { RefusedError } from '../../../protocol/text/refusal.js';
import { commitOf } from '../../repository.js';
import { exists, findRun, viewOf } from '../find/find-run.js';
import { shellWord } from '../find/removal-commands.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export async function path(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = await connectOrRead(context, 'the run is found by the run folders of the known repositories');
  const run = await findRun(context, sluice, asked);
  const view = await viewOf(run, sluice);
  const worktree = view?.worktree ?? null;
  if (worktree === null || !(await exists(worktree))) {
    const hasBranch =
      view !== null && run.branch !== null && (await commitOf(view.repo, `refs/heads/${run.branch}`)) !== null;
    throw new RefusedError({
      what: `the run ${foreign(run.runId)} has no worktree on this machine${worktree === null ? '' : ` (it was ${foreign(worktree)})`}`,
      why: 'a worktree is made when a run opens and stays until it is removed; it lies on the host of the run',
      now: branchText(run.branch, hasBranch),
      mend:
        run.branch === null || !hasBranch
          ? `sluice status ${foreign(run.runId)}`
          : `git worktree add <folder> ${shellWord(run.branch)}`,
    });
  }
  if (json) io.json({ runId: run.runId, worktree });
  else io.out(foreign(worktree));
  return EXIT.done;
}

function branchText(branch: string | null, isThere: boolean): string {
  if (branch === null) return 'The run has no branch yet.';
  return isThere ? `Its branch is ${foreign(branch)}.` : `Its branch ${foreign(branch)} is gone too.`;
}

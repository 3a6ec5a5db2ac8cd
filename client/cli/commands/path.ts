/** `sluice path`: the worktree of a run and nothing else, so that `cd "$(sluice path)"` works. */
import { findWorktree } from '../find/find-worktree.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export async function path(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = await connectOrRead(context, 'the run is found by the run folders of the known repositories');
  const { runId, worktree } = await findWorktree(context, sluice, asked);
  if (json) io.json({ runId, worktree });
  else io.out(foreign(worktree));
  return EXIT.done;
}

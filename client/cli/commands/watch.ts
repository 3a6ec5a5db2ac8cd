/** `sluice watch`: a run live until it closes. Detaching leaves it alone. */
import { CliError } from '../cli-error.js';
import { connectToLook } from '../connect.js';
import type { Context } from '../context.js';
import { desktopWanted } from '../desktop-wanted.js';
import { type ExitCode, exitCodeOf } from '../exit-codes.js';
import { findRun, viewOf } from '../find-run.js';
import { foreign } from '../io.js';
import { watchStarted } from '../watch-started.js';
import { renderView } from './status.js';

export async function watch(context: Context, asked: string | null): Promise<ExitCode> {
  const sluice = await connectToLook(context);
  if (sluice === null) {
    const run = await findRun(context, null, asked);
    const view = await viewOf(run, null);
    if (view !== null && view.outcome !== null) {
      if (context.json) context.io.json({ kind: 'ended', runId: view.runId, end: 'closed', outcome: view.outcome, error: view.error });
      else for (const line of renderView(view)) context.io.out(line);
      return exitCodeOf(view.outcome);
    }
    throw new CliError({
      what: `the engine is down, so the run ${foreign(run.runId)} cannot be watched`,
      why: 'a run moves only while the local engine is up',
      now: `It last wrote: ${run.status ?? 'nothing'}.`,
      mend: `sluice up && sluice watch ${foreign(run.runId)}    or, as it is now: sluice status ${foreign(run.runId)}`,
    });
  }
  try {
    const run = await findRun(context, sluice, asked);
    return await watchStarted(context, {
      sluice,
      runId: run.runId,
      workflowId: run.workflowId,
      title: run.title ?? run.runId,
      repo: run.repo ?? context.io.cwd,
      runDir: run.runDir,
      stages: null,
      startedAt: run.startedAt,
      events: true,
      desktop: await desktopWanted(context, run.repo),
    });
  } finally {
    await sluice.close();
  }
}

/** `sluice watch`: a run live until it closes, or all open ones where none is named. Detaching leaves them alone. */
import type { Sluice } from '../../sluice.js';
import { CliError } from '../cli-error.js';
import { connectToLook } from '../connect.js';
import type { Context } from '../context.js';
import { desktopWanted } from '../desktop-wanted.js';
import { type ExitCode, exitCodeOf } from '../exit-codes.js';
import { findRun, findRuns, runsHere, viewOf } from '../find-run.js';
import { foreign } from '../io.js';
import { meantRuns } from '../meant-run.js';
import { type WatchedRuns, watchAll } from '../watch-all.js';
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
    const several = asked === null ? await severalOpen(context, sluice) : null;
    if (several !== null) return await watchAll(context, several);
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

/** Visibility is asked for this many each time, so that a run stays in sight while newer ones come. */
const LOOK_LIMIT = 1_000;

/** Null where one run can be meant. Those of the repository that one stands in, if it has any. */
async function severalOpen(context: Context, sluice: Sluice): Promise<WatchedRuns | null> {
  const all = await findRuns(context, sluice);
  const here = await runsHere(context, all);
  if (meantRuns(here, 'open').length < 2) return null;
  const repo = here === all ? null : (here[0]?.repo ?? null);
  return { look: async () => (await sluice.list(LOOK_LIMIT)).filter((run) => repo === null || run.repo === repo) };
}

/** `sluice watch`: a run live until it closes, or all open ones where none is named. Detaching leaves them alone. */

import { type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import { isFromFiles } from '../../calls/listed-run.js';
import { type FoundRun, findRuns, viewOf } from '../../look/find-runs.js';
import { isOf, lookAtRepository } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { statusText } from '../../views/run-status.js';
import { findRun, runsHere } from '../find/find-run.js';
import { meantRuns } from '../find/meant-run.js';
import { connectToLook } from '../server/connect.js';
import { desktopWanted } from '../start/desktop-wanted.js';
import { type Context, lookPlaceOf, tellStopped } from '../terminal/context.js';
import { type ExitCode, exitCodeOf } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { awaitRunOfTask } from '../watch/await-task.js';
import { tellServerAway } from '../watch/server-away.js';
import { endObjectOfView } from '../watch/summary.js';
import { type WatchedRuns, watchAll } from '../watch/watch-all.js';
import { changeOf, startedView, watchToEnd } from '../watch/watch-started.js';
import { followBegun, landAfterRun } from './after-run.js';
import { renderView } from './status.js';

export async function watch(context: Context, asked: string | null): Promise<ExitCode> {
  await using sluice = await connectToLook(context);
  if (sluice === null) {
    const run = await findRun(context, null, asked);
    return tellEnded(context, run, engineDown(run));
  }
  const open = asked === null ? await openHere(context, sluice) : null;
  if (open !== null && open.runs.length > 1) return await watchAll(context, open.watched);
  const begun = asked === null ? null : await awaitRunOfTask(context, sluice, asked);
  if (begun?.kind === 'server_away') return tellServerAway(context);
  if (context.io.stop.aborted) return tellStopped(context, 'What was to be watched goes on.');
  const run =
    open === null ? await findRun(context, sluice, begun?.kind === 'run' ? begun.runId : asked) : onlyOpen(open);
  if (isFromFiles(run))
    return (await followBegun(context, sluice, run)) ?? (await tellEnded(context, run, unknownToServer(run)));
  const desktop = await desktopWanted(context, run.repo);
  const started = { ...startedView(context, sluice, run), events: true, desktop };
  return await landAfterRun(context, started, { ...(await watchToEnd(context, started)), asks: false });
}

/** A closed run whose end only its files know. Errors: RefusedError with `parts` for one that is open as far as they tell. */
async function tellEnded({ io, json }: Context, run: FoundRun, parts: Refusal): Promise<ExitCode> {
  const view = await viewOf(run, null);
  if (view === null || view.outcome === null) throw new RefusedError(parts);
  if (json) io.json(endObjectOfView(view, { runDir: run.runDir, diff: await changeOf(view.repo, view) }));
  else for (const line of renderView(view, { outIsTerminal: io.outIsTerminal })) io.out(line);
  return exitCodeOf(view.outcome);
}

function engineDown({ runId, status }: FoundRun): Refusal {
  return {
    what: `the engine is down, so the run ${foreign(runId)} cannot be watched`,
    why: 'a run moves only while the local engine is up',
    now: `It last wrote: ${status ?? 'nothing'}.`,
    mend: `sluice up && sluice watch ${foreign(runId)}    or, as it is now: sluice status ${foreign(runId)}`,
  };
}

function unknownToServer({ runId, status }: FoundRun): Refusal {
  return {
    what: `the server does not know the run ${foreign(runId)}, so it cannot be watched`,
    why: 'a run moves on the server that it was started on; one that was deleted there moves no more',
    now: `It last wrote: ${status ?? 'nothing'}.`,
    mend: `sluice status ${foreign(runId)}`,
  };
}

/** Visibility is asked for this many each time, so that a run stays in sight while newer ones come. */
const LOOK_LIMIT = 1_000;

interface OpenHere {
  /** Of the repository that one stands in, if it has any. */
  readonly runs: readonly FoundRun[];
  /** The newest closed one. */
  readonly last: FoundRun | null;
  readonly watched: WatchedRuns;
}

async function openHere(context: Context, sluice: Sluice): Promise<OpenHere> {
  const all = await findRuns(lookPlaceOf(context), sluice);
  const here = await runsHere(context, all);
  const place = await lookAtRepository(context.io.cwd);
  // Where this repository has no run, those of all are watched.
  const isWatched = ({ repo }: Pick<FoundRun, 'repo'>) => here === all || place.kind !== 'ok' || isOf(place, repo);
  return {
    runs: meantRuns(here, 'open'),
    last: here[0] ?? null,
    watched: {
      look: async () => (await sluice.list(LOOK_LIMIT)).filter(isWatched),
    },
  };
}

/** Errors: RefusedError where none is open: a closed run is watched by its name alone. */
function onlyOpen({ runs: [only], last }: OpenHere): FoundRun {
  if (only !== undefined) return only;
  throw new RefusedError({
    what: 'no run is open',
    why: 'without a name the open runs are watched',
    now: last === null ? 'There is no run.' : `The last one is ${foreign(last.runId)}: ${statusText(last)}.`,
    mend: last === null ? 'sluice run "<task>"' : `sluice status ${foreign(last.runId)}`,
  });
}

/**
 * `sluice rewind`: a new run from a stage of an earlier one, with its task, policy, artifacts and code (V-131), and watches it like `run`.
 * The source run is only read. What the host can take over is checked by the host; here only what can be refused without it.
 */

import { dirname, join } from 'node:path';
import { orAborted } from '../../../config/system/or-aborted.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import { titleOf } from '../../../protocol/messages/run-input.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { branchOf } from '../../../protocol/names.js';
import { makeRunId } from '../../../protocol/run/run-id.js';
import { STAGES, type Stage } from '../../../protocol/run/stages.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { isFromFiles } from '../../calls/listed-run.js';
import { type FoundRun, findRuns, viewOf } from '../../look/find-runs.js';
import type { Sluice } from '../../sluice.js';
import { findRun, runsOfRepository, tellNewest } from '../find/find-run.js';
import { LAST } from '../find/pick-run.js';
import { connectToRun } from '../server/connect.js';
import { desktopWanted } from '../start/desktop-wanted.js';
import { type Context, lookPlaceOf, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { watchToLand } from './after-run.js';

export interface RewindOptions {
  /** The source. */
  readonly run: string | null;
  readonly stage?: string | undefined;
  readonly detach: boolean;
}

interface Source {
  readonly run: FoundRun;
  readonly view: RunView;
}

export async function rewind(context: Context, options: RewindOptions, connect = connectToRun): Promise<ExitCode> {
  const { io } = context;
  const stage = checkStage(options.stage);
  await using connected = await orAborted(connect(context, { local: false }), io.stop, () => null);
  if (connected === null) return tellStopped(context, 'Nothing was started.');
  const { sluice } = connected;
  const source = await orAborted(findSource(context, sluice, options.run), io.stop, () => null);
  if (source === null) return tellStopped(context, 'Nothing was started.');
  return await startFrom(context, sluice, { source, stage, detach: options.detach });
}

/** Pure. The host takes task and title from its own record of the source; they are sent for lists and for a host that refuses. */
export function rewindInput({ view }: Pick<Source, 'view'>, stage: Stage | null, attended: boolean): RunInput {
  return {
    task: view.task,
    title: view.title,
    repo: view.repo,
    attended,
    ...(view.host === null ? {} : { host: view.host }),
    rewind: { runId: view.runId, ...(stage === null ? {} : { stage }) },
  };
}

interface Rewinding {
  readonly source: Source;
  readonly stage: Stage | null;
  readonly detach: boolean;
}

async function startFrom(context: Context, sluice: Sluice, { source, stage, detach }: Rewinding): Promise<ExitCode> {
  const { io, json } = context;
  const input = rewindInput(source, stage, io.attended);
  const runId = makeRunId(input.title ?? input.task, Math.random);
  const startedAt = new Date().toISOString();
  const started = await sluice.startRun({ runId, input });
  if (started.kind === 'taken') throw new RefusedError(takenId(runId, source));
  const title = titleOf(input);
  const runDir = source.run.runDir === null ? null : join(dirname(source.run.runDir), runId);
  const { workflowId } = started;
  if (json) io.json({ kind: 'started', runId, workflowId, title, repo: input.repo, branch: branchOf(runId), runDir });
  else if (detach) io.out(`Started ${runId}. Watch it with: sluice watch ${runId}`);
  else if (!io.live) io.out(foreign(`${runId} started from ${source.run.runId}: ${title}`));
  if (detach) return EXIT.done;
  return watchToLand(context, {
    sluice,
    runId,
    workflowId,
    title,
    repo: input.repo,
    runDir,
    stages: null,
    startedAt,
    events: false,
    desktop: await desktopWanted(context, input.repo),
  });
}

/** Errors: RefusedError for a source that is unknown, still open, or cannot be read. */
async function findSource(context: Context, sluice: Sluice, asked: string | null): Promise<Source> {
  const run =
    asked === null || asked === LAST ? await newestClosed(context, sluice) : await findRun(context, sluice, asked);
  const view = await viewOf(run, sluice);
  if (view === null) throw new RefusedError(unreadable(run));
  if (view.outcome === null) throw new RefusedError(stillOpen(run, view));
  return { run, view };
}

/** Without a name: the newest closed run of the repository that one stands in. */
async function newestClosed(context: Context, sluice: Sluice): Promise<FoundRun> {
  const closed = (await runsOfRepository(context, await findRuns(lookPlaceOf(context), sluice))).filter(
    (run) => run.closedAt !== null && !run.refused,
  );
  const [newest] = closed;
  if (newest === undefined) {
    const why = 'a rewind starts from a stage of a run that is closed';
    throw new RefusedError({ what: 'there is no closed run here', why, now: NOTHING, mend: 'sluice list' });
  }
  if (closed.length > 1) tellNewest(context, newest);
  return newest;
}

const NOTHING = 'Nothing was started.';

function checkStage(stage: string | undefined): Stage | null {
  if (stage === undefined) return null;
  const known = STAGES.find((candidate) => candidate === stage);
  if (known !== undefined) return known;
  throw new RefusedError({
    what: `--stage is "${foreign(stage).slice(0, 60)}"`,
    why: `it must be one of ${STAGES.join(', ')}`,
    now: NOTHING,
    mend: 'leave it out to start where the run ended, or: sluice rewind <run> --stage executing',
  });
}

function stillOpen(run: FoundRun, { status }: RunView) {
  const { runId } = run;
  if (isFromFiles(run)) return withoutEnd(runId, status);
  return {
    what: `the run ${foreign(runId)} is open (${status})`,
    why: 'a rewind takes over what a closed run left, so that nothing of it changes meanwhile',
    now: `${NOTHING} The run goes on.`,
    mend: `sluice abort ${foreign(runId)}    and then rewind it, or wait for its end`,
  };
}

/** Its history was deleted while it was open, or it is open on another server. */
function withoutEnd(runId: string, status: string) {
  return {
    what: `the run ${foreign(runId)} has no end: it last wrote ${status}, and the server does not know it`,
    why: 'a rewind takes over what a closed run left, so that nothing of it changes meanwhile',
    now: `${NOTHING} Its branch and its files are there.`,
    mend: `sluice diff ${foreign(runId)}    shows its work; if it runs on another server: TEMPORAL_ADDRESS=<that server> sluice rewind ${foreign(runId)}`,
  };
}

function unreadable({ runId, execution, refused }: FoundRun) {
  return {
    what: `the run ${foreign(runId)} has nothing to start from`,
    why: refused
      ? 'its start was refused, so it has no stages'
      : 'it does not answer, and its state.json is not on this machine',
    now: `${NOTHING} The server says: ${execution ?? 'nothing'}.`,
    mend: 'sluice list    shows the other runs',
  };
}

function takenId(runId: string, { run }: Source) {
  return {
    what: `the run id ${runId} was drawn before`,
    why: 'an id names one run for ever',
    now: NOTHING,
    mend: `sluice rewind ${foreign(run.runId)}    draws another`,
  };
}

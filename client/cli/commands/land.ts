/**
 * `sluice land`: asks for the heads of closed runs on their base, and follows them until they are merged or wait for a person. The merge queue of the base does the work; only with
 * `--update-checkout` is anything done here, by the person's own git, to a checkout in which the base stands.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { orAborted } from '../../../config/system/or-aborted.js';
import type { LandingView } from '../../../protocol/actors/landing.js';
import { repairRunId } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { StartLanding } from '../../calls/landing-calls.js';
import { isFromFiles } from '../../calls/listed-run.js';
import { type FoundRun, findRuns } from '../../look/find-runs.js';
import type { Sluice } from '../../sluice.js';
import { isLeftToPeople, isSettled } from '../../views/landing-text.js';
import { chooseRun } from '../find/choose-run.js';
import { findRun, runsOfRepository } from '../find/find-run.js';
import { followLandings, type ToldLandings } from '../landing/follow-landings.js';
import { takeChain } from '../landing/take-chain.js';
import { connectToRun } from '../server/connect.js';
import { type Context, lookPlaceOf, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export interface LandOptions {
  readonly runs: readonly string[];
  readonly onto?: string | undefined;
  readonly updateCheckout: boolean;
  readonly wait: boolean;
}

export async function land(context: Context, options: LandOptions, connect = connectToRun): Promise<ExitCode> {
  const { io } = context;
  personOf(context);
  await using connected = await orAborted(connect(context, { local: false }), io.stop, () => null);
  if (connected === null) return tellStopped(context, 'Nothing was sent.');
  const { sluice } = connected;
  const runs = await orAborted(findToLand(context, sluice, options), io.stop, () => null);
  if (runs === null) return tellStopped(context, 'Nothing was sent.');
  return await landRuns(context, sluice, { ...options, runs });
}

interface RunsToLand extends Omit<LandOptions, 'runs' | 'onto'> {
  readonly runs: readonly Pick<FoundRun, 'runId' | 'workflowId' | 'repo'>[];
  readonly onto?: string | null | undefined;
}

/** For a caller that knows the runs. */
export async function landRuns(
  context: Context,
  sluice: Sluice,
  { runs, onto = null, updateCheckout, wait }: RunsToLand,
): Promise<ExitCode> {
  const { io, json } = context;
  const by = personOf(context);
  for (const { runId, workflowId } of runs) {
    await ask(sluice, { runId, workflowId, onto, by });
    if (runs.length > 1) await waitForTurn(sluice, runId, io.stop);
  }
  if (!wait) {
    for (const { runId } of runs) {
      if (json) io.json({ kind: 'asked', runId });
      else io.out(foreign(`${runId} is to land; see: sluice landings list`));
    }
    return EXIT.done;
  }
  return await followRuns(context, sluice, { runs, updateCheckout, isLeft: false });
}

/** The same for landings that were asked for. `isLeft`: what the policy leaves to people to merge is done. */
export async function followRuns(
  context: Context,
  sluice: Sluice,
  { runs, updateCheckout, isLeft }: Pick<RunsToLand, 'runs' | 'updateCheckout'> & { readonly isLeft: boolean },
): Promise<ExitCode> {
  const told: ToldLandings = new Map();
  const runIds = runs.map(({ runId }) => runId);
  let end = await followLandings(context, sluice, { runIds, told, taken: new Set() });
  if (end.kind === 'settled' && updateCheckout) {
    const { views } = end;
    const queues = await takeAll(context, sluice, { views, runs, by: personOf(context) });
    if (context.io.stop.aborted) return tellLeft(context, 'detached');
    if (queues.length > 0)
      end = await followLandings(context, sluice, { runIds, told, taken: commitsOf(views, queues) });
  }
  if (end.kind !== 'settled') return tellLeft(context, end.kind);
  const { views } = end;
  tellReady(context, views);
  const isDone = (view: LandingView) => view.merge === 'merged' || (isLeft && isLeftToPeople(view));
  return views.every(isDone) ? EXIT.done : EXIT.needsPerson;
}

function tellLeft({ io }: Context, kind: 'detached' | 'server_away'): ExitCode {
  if (kind === 'detached') io.err('Detached; what is queued lands without you. See: sluice landings list');
  else {
    io.err('The server or its worker stays away; what is queued lands when it is back.');
    io.err('See: sluice up && sluice landings list');
  }
  return EXIT.detached;
}

/** **Unit** ms. */
const LOOK_AGAIN_MS = 30;
const TURN_MS = 5_000;

/** Heads that are named together land in the order in which they are named: the next is asked for once this one is in its queue, or will not come there. */
async function waitForTurn(sluice: Sluice, runId: string, stop: AbortSignal): Promise<void> {
  for (const end = Date.now() + TURN_MS; Date.now() < end && !stop.aborted; ) {
    const view = await sluice.landing(runId).catch(() => null);
    if (view !== null && (isSettled(view) || (view.entry?.state ?? null) !== null)) return;
    await delay(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Errors: RefusedError where it is on its way to another base. */
async function ask(sluice: Sluice, asked: StartLanding): Promise<void> {
  const { runId, onto } = asked;
  const view = await sluice.landing(runId);
  if (view?.merge === 'merged' && (onto === null || onto === view.base)) return;
  if (view?.merge === 'queued' && onto !== null && view.base !== onto)
    throw new RefusedError({
      what: `${foreign(runId)} is on its way to ${foreign(view.base ?? '')}`,
      why: 'a head lands on one base at a time',
      now: 'Nothing was changed; it lands there.',
      mend: `sluice landings drop ${foreign(runId)} && sluice land ${foreign(runId)} --onto ${foreign(onto)}`,
    });
  await sluice.land(asked);
}

/** Errors: RefusedError where none can land, or it is not clear which is meant. */
async function findToLand(
  context: Context,
  sluice: Sluice,
  { runs, updateCheckout }: LandOptions,
): Promise<readonly FoundRun[]> {
  if (runs.length > 0) {
    const named: FoundRun[] = [];
    for (const asked of runs) named.push(await findRun(context, sluice, asked));
    const once = [...new Map(named.map((run) => [run.runId, run])).values()];
    const open = once.find((run) => run.closedAt === null && !isFromFiles(run));
    if (open !== undefined) throw new RefusedError(stillOpen(open));
    return once;
  }
  const here = await runsOfRepository(context, await findRuns(lookPlaceOf(context), sluice));
  const landings = new Map((await sluice.landings()).map((landing) => [landing.runId, landing]));
  if (updateCheckout) {
    const ready = here.filter(({ runId }) => landings.get(runId)?.merge === 'queued');
    if (ready.length > 0) return ready;
  }
  const repaired = [...landings.keys()];
  const able = here.filter(
    (run) =>
      run.status === 'merge_ready' && !isOver(landings.get(run.runId)?.merge) && !isRepairOf(run.runId, repaired),
  );
  const [only] = able;
  if (only === undefined) throw new RefusedError(NOTHING_TO_LAND);
  return [able.length > 1 ? await chooseRun(context, `${able.length} runs can land`, able) : only];
}

/** It lands under the run whose head it repaired. */
function isRepairOf(runId: string, landed: readonly string[]): boolean {
  const number = Number(/-l(\d{1,9})$/.exec(runId)?.[1] ?? 0);
  return number > 0 && landed.some((run) => repairRunId(run, number) === runId);
}

function isOver(merge: LandingView['merge'] | undefined): boolean {
  return merge === 'merged' || merge === 'abandoned';
}

/** Answers the merge queues whose base has their chain now. */
async function takeAll(
  context: Context,
  sluice: Sluice,
  { views, runs, by }: { views: readonly LandingView[]; runs: RunsToLand['runs']; by: string },
): Promise<readonly string[]> {
  const repos = new Map(runs.map(({ runId, repo }) => [runId, repo ?? context.io.cwd]));
  const chains = new Map(
    views.flatMap(({ runId, base, entry }) =>
      entry?.state === 'ready' && base !== null
        ? [[entry.queue, { workflowId: entry.queue, branch: base, repo: repos.get(runId) ?? context.io.cwd, by }]]
        : [],
    ),
  );
  const taken: string[] = [];
  for (const [queue, chain] of chains)
    if (!context.io.stop.aborted && (await takeChain(context, sluice, chain))) taken.push(queue);
  return taken;
}

/** Of what is ready in these queues; another's waits for its base, and is not waited for. */
function commitsOf(views: readonly LandingView[], queues: readonly string[]): ReadonlySet<string> {
  const ready = views.filter(({ entry }) => entry?.state === 'ready' && queues.includes(entry.queue));
  return new Set(ready.flatMap(({ commit }) => (commit === null ? [] : [commit])));
}

function tellReady({ io, json }: Context, views: readonly LandingView[]): void {
  if (json || !views.some(({ entry }) => entry?.state === 'ready')) return;
  io.out('They land once nobody uses the base any more, or now, in your checkout: sluice land --update-checkout');
}

function stillOpen({ runId }: FoundRun) {
  return {
    what: `the run ${foreign(runId)} is open`,
    why: 'what lands is the head that a closed run answered',
    now: 'Nothing was sent.',
    mend: `sluice watch ${foreign(runId)}`,
  };
}

const NOTHING_TO_LAND = {
  what: 'no run of this repository can land',
  why: 'without a name it is the only closed run that is merge_ready and not merged',
  now: 'Nothing was sent.',
  mend: 'sluice list    then name the run',
};

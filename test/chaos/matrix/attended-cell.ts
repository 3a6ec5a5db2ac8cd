/**
 * One run of the matrix from its start to its traces, with a person beside it: resumes it, approves its gate, brings a dead engine up again. Everything that
 * is decided is read from files that people see, so nothing here needs a living server but the messages.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { RunInput } from '../../../protocol/messages/messages.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { RUN_WORKFLOW, TASK_QUEUE } from '../../../protocol/names.js';
import { guardPid } from '../../support/guard-pid.js';
import { livingTurns, type RunTraces, startsOf, tracesOf } from '../../support/run-traces.js';
import { runOf, type TestRun } from '../../support/test-host.js';
import type { TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';
import { bringUpIfDead, findAgain, isAlive } from './bring-up.js';
import type { Course } from './cells.js';
import type { ChaosHome } from './chaos-home.js';

const LOOK_AGAIN_MS = 100;
/** Of `LOOK_AGAIN_MS` each: longer than a workflow task takes that a killed worker took along. */
const MAX_TRIES = 300;
/** The engine may stand elsewhere by then, begun again by somebody else after it gave up. */
const FAILURES_TO_LOOK_AGAIN = 10;
/** Of a call that meets a dead server. */
const CALL_MS = 3_000;
/** Source: the issue's own rule for orphans where nobody was left to end the agent. */
const ORPHANS_GONE_MS = 5_000;

interface Attended {
  readonly place: ChaosHome;
  readonly course: Course;
  readonly repository: TestRepository;
  readonly run: TestRun;
  client: Client;
}

/** `begin`: called when the course's own moment has come, for `run` before the start. Errors: plain Error after `limitMs`. */
export async function runCell(
  place: ChaosHome,
  course: Course,
  options: { begin: () => void; limitMs: number },
): Promise<RunTraces> {
  const client = await place.up();
  const repository = await place.repository();
  if (course === 'run') options.begin();
  const attended = await startPaused({ place, course, repository, client });
  const { run } = attended;
  const end = performance.now() + options.limitMs;
  let disturb: (() => Promise<void>) | null = course === 'run' ? null : disturbanceOf(attended, options.begin);
  let failures = 0;
  for (let view = viewOf(run); view === null || view.outcome === null; view = viewOf(run)) {
    if (performance.now() > end)
      throw new Error(`not closed within ${options.limitMs} ms: ${view?.status ?? 'no state'}`);
    if (disturb !== null && isMoment(attended, view)) {
      await disturb();
      disturb = null;
    }
    await bringUpIfDead(attended);
    failures = await attendTo(attended, view).then(
      () => 0,
      () => failures + 1,
    );
    if (failures > 0 && failures % FAILURES_TO_LOOK_AGAIN === 0) await findAgain(attended);
    await sleep(LOOK_AGAIN_MS);
  }
  const traces = await tracesLeft(attended);
  await until(() => livingTurns(place.home).length === 0, ORPHANS_GONE_MS).catch(() => undefined);
  return { ...traces, living: livingTurns(place.home) };
}

/** Tried again where the server dies under it: one id, and one request id, are one start and one pause. */
async function startPaused(starting: Omit<Attended, 'run'>): Promise<Attended> {
  const { repository } = starting;
  const runId = `chaos-${randomUUID().slice(0, 8)}`;
  const input: RunInput = { task: 'change a.txt', repo: repository.path, attended: true };
  const attended = {
    ...starting,
    run: runOf(starting.client.workflow.getHandle(runId), join(repository.path, '.sluice/runs', runId)),
  };
  const start = { workflowId: runId, taskQueue: TASK_QUEUE, workflowTaskTimeout: '5s', args: [input] } as const;
  for (let tries = 1; ; tries += 1) {
    try {
      await attended.client.workflow.signalWithStart(RUN_WORKFLOW, {
        ...start,
        signal: 'pause',
        signalArgs: [{ by: 'person', requestId: `${runId}-pause` }],
      });
      return attended;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await bringUpIfDead(attended);
      if (tries % FAILURES_TO_LOOK_AGAIN === 0) await findAgain(attended);
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

/**
 * Tried again where the server dies under it. The view says that a run is over before its workflow is, and an engine that is killed in between leaves a workflow
 * that goes on once somebody brings the engine up.
 */
async function tracesLeft(attended: Attended): Promise<RunTraces> {
  const { place, repository, run } = attended;
  for (let tries = 1; ; tries += 1) {
    await bringUpIfDead(attended);
    const handle = attended.client.workflow.getHandle(run.runId);
    try {
      const { status } = await attended.client.withDeadline(Date.now() + CALL_MS, () => handle.describe());
      if (status.name !== 'RUNNING')
        return await tracesOf({ run: runOf(handle, run.runDir), repository, home: place.home });
      if (tries === MAX_TRIES) throw new Error('the workflow does not close');
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      if (tries % FAILURES_TO_LOOK_AGAIN === 0) await findAgain(attended);
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Before the first activity there is none; half of one is never there (rename). */
function viewOf({ runDir }: TestRun): RunView | null {
  const path = join(runDir, 'state.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RunView) : null; // The engine's own file.
}

/** Turns are disturbed while the executing agent works; engine and `down` at the gate, where no turn runs. */
function isMoment({ course, repository }: Attended, view: RunView | null): boolean {
  if (course === 'worker-restart' || course === 'guard-restart') return startsOf(repository, 'executing') > 0;
  return view !== null && view.pendingApprovalId !== null;
}

function disturbanceOf({ place, course }: Attended, begin: () => void): () => Promise<void> {
  const killed = (pid: number | null) => {
    begin();
    if (pid !== null && pid > 0) process.kill(pid, 'SIGKILL');
  };
  switch (course) {
    case 'worker-restart':
      return async () => killed(place.pid('worker'));
    case 'guard-restart':
      return async () => killed(guardPid(place.home));
    case 'engine-restart':
      return async () => killed(place.pid('engine'));
    default:
      return async () => {
        begin();
        await place.down().catch(() => undefined);
        // With no worker and no turn it ends itself some seconds later.
        const guard = guardPid(place.home);
        await until(() => !isAlive(guard));
      };
  }
}

async function attendTo({ client, run }: Attended, view: RunView | null): Promise<void> {
  if (view === null) return;
  const handle = client.workflow.getHandle(run.runId);
  const tell = (name: string, argument: object) =>
    client.withDeadline(Date.now() + CALL_MS, () =>
      handle.executeUpdate(name, { args: [{ by: 'person', ...argument }] }),
    );
  if (view.status === 'paused') await tell('resume', {});
  else if (view.pendingApprovalId !== null)
    await tell('approve', { gate: view.pendingApprovalId, commit: view.headSha });
}

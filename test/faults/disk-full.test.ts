/**
 * A disk with N bytes left, for a series of N, so that another write is the one that fails each time: under the repository with its runs directory,
 * the worktrees, the sluice home, and the server's database. Each is a small tmpfs. The run waits and says why; once there is room it ends as a run
 * without the fault, and none of its files is torn. An agent that could not print its answer is started once more.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { itWhere } from '../support/it-where.js';
import { openHostOn, openOwnServer } from '../support/own-server.js';
import { livingTurns, type RunTraces, startsOf, tracesOf } from '../support/run-traces.js';
import { canMount, type SmallDisk, smallDisk } from '../support/small-disk.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import { fixtureWith, PLAIN_FIXTURE, type TestRepository } from '../support/test-repository.js';
import { UNDISTURBED } from '../support/undisturbed.js';
import { until } from '../support/until.js';
import { whyItWaits } from '../support/why-it-waits.js';

const KIB = 1024;
const LIMIT_MS = 240_000;
const SAYS_WHY = /no space left on device|unable to write file|couldn't write|could be written to the journal/i;

/** The run is held in its middle: what was to be written so far lies on the disk, the change and all after it does not. */
const HELD = fixtureWith({ executing: { ...PLAIN_FIXTURE.stages.executing, waitFor: 'go' } });

const mountTest = itWhere(canMount(), 'no right to mount a tmpfs');

interface Case {
  readonly leftKib: number;
  /** The disk runs out in the middle of the run; else before it starts. */
  readonly inMidTurn: boolean;
}

interface RunOut extends Case {
  readonly traces: RunTraces;
  /** What the server shows of the waiting activity. */
  readonly why: string;
  readonly torn: readonly string[];
}

describe('a disk without room', () => {
  mountTest(
    'under the repository and its runs directory holds the run up; then it ends as if nothing had happened',
    async () => {
      const host = await openTestHost();
      const cases = [...beforeStart(0, 12, 28, 44, 132), ...inMidTurn(0, 4, 8, 12, 28)];
      try {
        await host.startWorker();

        // Each has a repository, and so a disk, of its own.
        const ends = await Promise.all(cases.map((given) => withOwnDisk(host, given)));

        // While the others work something lives; afterwards nothing does.
        expect(ends.map((end) => ({ ...end, traces: { ...end.traces, living: [] } }))).toEqual(cases.map(undisturbed));
        expect(livingTurns(host.home)).toEqual([]);
      } finally {
        await host.close();
      }
    },
    LIMIT_MS,
  );

  mountTest.each([
    ['the worktrees', 'worktrees', [...beforeStart(4, 12, 20), ...inMidTurn(0)]],
    ['the sluice home', '.', [...beforeStart(0, 72, 212), ...inMidTurn(0, 40)]],
  ])(
    'under %s holds the run up; then it ends as if nothing had happened',
    async (_what, place, cases) => {
      const host = await openTestHost();
      const folder = join(host.home, place);
      mkdirSync(folder, { recursive: true });
      const disk = smallDisk(folder, { size: '32m' });
      try {
        await host.startWorker();

        const ends: RunOut[] = [];
        for (const given of cases) ends.push(await runOut(host, await heldRepository(host), { given, disk }));

        expect(ends).toEqual(cases.map(undisturbed));
      } finally {
        await closeMounted(host, disk);
      }
    },
    LIMIT_MS,
  );

  mountTest(
    "under the server's database holds the run up; then it ends as if nothing had happened",
    async () => {
      const server = await openOwnServer();
      const host = await openHostOn(server);
      await server.kill();
      const disk = smallDisk(server.folder, { size: '64m' });
      try {
        await server.start();
        const repository = await heldRepository(host);
        await host.startWorker();
        const run = await host.startRun(repository);
        await until(() => startsOf(repository, 'executing') === 1);

        disk.fillBut(0);
        repository.release('go');
        // Its log of changes has some room of its own until it must grow.
        await until(() => writeSomething(host).then(() => server.said().includes('disk is full')));
        disk.free();
        if (!server.lives()) await server.start();

        expect(await tracesOf({ run, repository, home: host.home })).toEqual(UNDISTURBED);
      } finally {
        await host.close();
        await server.kill();
        disk.unmount();
        await server.close();
      }
    },
    LIMIT_MS,
  );
});

function beforeStart(...leftKib: readonly number[]): readonly Case[] {
  return leftKib.map((left) => ({ leftKib: left, inMidTurn: false }));
}

function inMidTurn(...leftKib: readonly number[]): readonly Case[] {
  return leftKib.map((left) => ({ leftKib: left, inMidTurn: true }));
}

function undisturbed(given: Case): object {
  return { ...given, traces: UNDISTURBED, why: expect.stringMatching(SAYS_WHY), torn: [] };
}

function heldRepository(host: TestHost): Promise<TestRepository> {
  return host.repository({ fixture: HELD });
}

async function withOwnDisk(host: TestHost, given: Case): Promise<RunOut> {
  const repository = await heldRepository(host);
  // Below .git: a strange file in the checkout would be told as a change of the person's.
  const disk = smallDisk(repository.path, { size: '8m', filler: '.git/filler' });
  try {
    return await runOut(host, repository, { given, disk });
  } finally {
    disk.unmount();
  }
}

async function runOut(
  host: TestHost,
  repository: TestRepository,
  { given, disk }: { given: Case; disk: SmallDisk },
): Promise<RunOut> {
  if (!given.inMidTurn) {
    repository.release('go');
    disk.fillBut(given.leftKib * KIB);
  }
  const run = await host.startRun(repository);
  if (given.inMidTurn) {
    await until(() => startsOf(repository, 'executing') === 1);
    // The flush that goes beside the start of an agent.
    await until(() => run.statuses().at(-1) === 'executing');
    disk.fillBut(given.leftKib * KIB);
    repository.release('go');
  }
  const why = await whyItWaits(run);
  disk.free();
  const traces = withoutLostAnswers(await tracesOf({ run, repository, home: host.home }));
  return { ...given, traces, why, torn: [run.runDir, ...foldersOf(host, run)].flatMap(tornBelow) };
}

/** An agent that could not print its answer failed, and its turn was taken again: one START more, and three lines of the journal. */
function withoutLostAnswers(traces: RunTraces): RunTraces {
  const { agents, journal } = traces;
  const isLost = (index: number) => agents[index]?.endsWith(' START') === true && agents[index] === agents[index + 1];
  const kept =
    journal === 'damaged'
      ? journal
      : journal.join(' ').replaceAll('turn.started turn.failed turn.retried ', '').split(' ');
  return { ...traces, agents: agents.filter((_, index) => !isLost(index)), journal: kept };
}

/** What the home has of the run alone: in the folders of others something goes away all the time. */
function foldersOf({ home }: TestHost, { runId }: TestRun): readonly string[] {
  return ['state', 'worktrees']
    .flatMap((name) => readdirSync(join(home, name)).map((key) => join(home, name, key)))
    .flatMap((place) => readdirSync(place).map((name) => join(place, name)))
    .filter((path) => basename(path).includes(runId) && lstatSync(path).isDirectory());
}

/** Files of ours that are no whole JSON, or that a write left half-made. */
function tornBelow(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return paths.filter(
    (path) => /\.(?:sluice-)?tmp$/.test(path) || (path.endsWith('.json') && !isJson(readFileSync(path, 'utf8'))),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Makes the server write; nobody works on it. */
async function writeSomething({ client }: TestHost): Promise<void> {
  await client.workflow.start('nothing', { workflowId: randomUUID(), taskQueue: 'nobody' }).catch(() => undefined);
}

async function closeMounted(host: TestHost, disk: SmallDisk): Promise<void> {
  // The folder of the mount stays until it is unmounted.
  await host.close().catch(() => undefined);
  disk.unmount();
  rmSync(host.folder, { recursive: true, force: true, maxRetries: 5 });
}

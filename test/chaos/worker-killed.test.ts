/** SIGKILL of a worker from outside, without failpoints: in mid-turn of each stage, with a second worker beside it, and for longer than the guard waits. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  attendedAgain,
  commandLines,
  goFile,
  HELD_STAGES,
  type HeldStage,
  heldIn,
  letGo,
  reached,
} from '../support/held-stage.js';
import { writeHostSettings } from '../support/host-settings.js';
import { openedForEach } from '../support/opened.js';
import { livingTurns, type RunTraces, startsOf, tracesOf, turnFolders } from '../support/run-traces.js';
import { sideBySide } from '../support/side-by-side.js';
import { openTestHost, type TestRun } from '../support/test-host.js';
import { fixtureWith } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];
const EACH_ONCE = STAGES.flatMap((stage) => [`${stage} START`, `${stage} END`]);

const host = openedForEach(openTestHost);

describe('a worker that is killed in mid-turn', () => {
  let cells: ReadonlyMap<HeldStage, Promise<RunTraces & { commands: readonly string[] }>>;

  beforeAll(() => {
    cells = sideBySide(HELD_STAGES, 3, runWithKillIn);
  });
  // Also where only some of the tests were asked for: no cell may outlive the file.
  afterAll(() => Promise.allSettled(cells.values()), LIMIT_MS);

  it.each(HELD_STAGES)(
    'of stage %s: the next worker attaches to what is at work, and it was started once',
    async (stage) => {
      expect(await cells.get(stage)).toMatchObject({
        outcome: 'merge_ready',
        error: null,
        agents: EACH_ONCE,
        commands: stage === 'validating' ? ['START', 'END'] : [],
        commits: 1,
        change: expect.stringMatching(/^\+changed$/m),
        living: [],
      });
    },
    LIMIT_MS,
  );

  it(
    'while another works on the same home: the other takes the turn over, and the agent was started once',
    async () => {
      const repository = await host.repository(heldIn(host, 'executing'));
      const workers = [await host.startWorker(), await host.startWorker()];
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');
      const attending = await attendant(run);
      const first = workers.find(({ pid }) => pid === attending);
      const other = workers.find(({ pid }) => pid !== attending);

      await first?.kill();
      await attendedAgain(host, run);
      const tookOver = await attendant(run);
      await other?.kill();
      const third = await host.startWorker();
      await until(async () => (await attendant(run)) === third.pid);
      await attendedAgain(host, run);
      letGo(host);

      expect([attending, tookOver]).toEqual([first?.pid, other?.pid]);
      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject({
        outcome: 'merge_ready',
        agents: EACH_ONCE,
        commits: 1,
        living: [],
      });
    },
    LIMIT_MS,
  );
});

describe('the live text of a turn whose worker is killed again and again', () => {
  it(
    'has each line once, and none is missing',
    async () => {
      // Its own stdout, as the agent has it; the shell's is the agent's stderr.
      const say = 'n=$((n + 1)); printf "line %s\\nand open " $n >> /proc/$PPID/fd/1; sleep 0.03';
      const repository = await host.repository(speakingUntilGo(say));
      let worker = await host.startWorker();
      const run = await host.startRun(repository);
      const text = () => readLiveText(run);
      for (let kill = 0; kill < 3; kill += 1) {
        const before = text().length;
        await until(() => text().length > before);
        await worker.kill();
        worker = await host.startWorker();
      }
      const before = text().length;
      await until(() => text().length > before);
      letGo(host);
      const { outcome } = await run.result();

      const said = text();
      const lines = said.split('\nand open ').slice(0, -1);
      expect(lines.length).toBeGreaterThan(20);
      expect(lines).toEqual(lines.map((_, n) => `line ${n + 1}`));
      expect([outcome, said.endsWith('Added a line.')]).toEqual(['merge_ready', true]);
      expect(liveFiles(run)).toHaveLength(1);
    },
    LIMIT_MS,
  );
});

describe('a home without a worker for longer than orphanGrace', () => {
  it(
    'ends the agent; the next worker puts the worktree in order and runs the turn again',
    async () => {
      writeHostSettings(host, 'limits:\n  orphanGrace: 500ms\n');
      const edit = { append: { 'a.txt': 'changed\n' }, text: 'Added a line.' };
      const repository = await host.repository({
        fixture: fixtureWith({ executing: { ...edit, hang: true, again: edit } }),
        config: 'limits:\n  heartbeat: 2s\nvalidation:\n  commands: ["grep -q changed a.txt"]\n',
      });
      const first = await host.startWorker();
      const run = await host.startRun(repository);
      const worktree = await worktreeOf(run);
      await until(() => readFileSync(join(worktree, 'a.txt'), 'utf8').includes('changed'));

      await first.kill();
      await until(() => livingTurns(host.home).length === 0);
      await host.startWorker();

      const traces = await tracesOf({ run, repository, home: host.home });
      expect(traces.agents.filter((line) => line.startsWith('executing'))).toEqual([
        'executing START',
        'executing START',
        'executing END',
      ]);
      expect(traces).toMatchObject({ outcome: 'merge_ready', commits: 1, living: [] });
      expect(traces.change.match(/^\+changed$/gm)).toHaveLength(1);
    },
    LIMIT_MS,
  );
});

describe('two workers at once on one home', () => {
  it(
    'share its runs: each agent is started once, each run has one commit, each journal is whole',
    async () => {
      // One turn at a time each: two agents at work are one of either worker.
      writeHostSettings(host, 'slots: 1\n');
      const plain = await host.repository(heldIn(host, 'executing'));
      const others = [
        await host.repository(heldIn(host, 'executing')),
        await host.repository(heldIn(host, 'executing')),
      ];
      const workers = await Promise.all([host.startWorker(), host.startWorker()]);

      const repositories = [plain, ...others];
      const runs = await Promise.all(repositories.map((repository) => host.startRun(repository)));
      await until(
        () => repositories.filter((repository) => startsOf(repository, 'executing') > 0).length === workers.length,
      );
      const atWork = runs.filter((_, index) => startsOf(repositories[index] ?? plain, 'executing') > 0);
      const attending = await Promise.all(atWork.map(attendant));
      letGo(host);
      const traces = await Promise.all(
        runs.map((run, index) => tracesOf({ run, repository: repositories[index] ?? plain, home: host.home })),
      );

      expect(new Set(attending)).toEqual(new Set(workers.map(({ pid }) => pid)));
      for (const trace of traces)
        expect(trace).toMatchObject({
          outcome: 'merge_ready',
          agents: EACH_ONCE,
          commits: 1,
          journal: traces[0]?.journal,
        });
      expect(traces[0]?.journal).not.toBe('damaged');
      expect(turnFolders(host.home)).toHaveLength(repositories.length * 8);
    },
    LIMIT_MS,
  );
});

async function runWithKillIn(stage: HeldStage): Promise<RunTraces & { commands: readonly string[] }> {
  const own = await openTestHost();
  try {
    const repository = await own.repository(heldIn(own, stage));
    const first = await own.startWorker();
    const run = await own.startRun(repository);
    await reached(own, repository, stage);
    await first.kill();
    await own.startWorker();
    await attendedAgain(own, run);
    letGo(own);
    return { ...(await tracesOf({ run, repository, home: own.home })), commands: commandLines(own) };
  } finally {
    await own.close();
  }
}

function speakingUntilGo(say: string) {
  const run = `n=0; while [ ! -e '${goFile(host)}' ]; do ${say}; done`;
  const executing = { append: { 'a.txt': 'changed\n' }, run, text: 'Added a line.' };
  return {
    fixture: fixtureWith({ executing }),
    config: 'limits:\n  heartbeat: 2s\nvalidation:\n  commands: ["grep -q changed a.txt"]\n',
  };
}

function liveFiles({ runDir }: TestRun): readonly string[] {
  const turns = join(runDir, 'turns');
  const folders = existsSync(turns) ? readdirSync(turns).filter((name) => name.endsWith('-executing')) : [];
  return folders.flatMap((folder) =>
    readdirSync(join(turns, folder))
      .filter((name) => name.startsWith('live.'))
      .map((name) => join(turns, folder, name)),
  );
}

/** Empty: there is none yet. */
function readLiveText(run: TestRun): string {
  return liveFiles(run)
    .map((path) => readFileSync(path, 'utf8'))
    .join('');
}

/** The pid of the worker whose attempt of the run's turn is under way, as the server has it. */
async function attendant({ handle }: TestRun): Promise<number | null> {
  const { raw } = await handle.describe();
  const turn = (raw.pendingActivities ?? []).find(({ activityType }) => activityType?.name === 'runTurn');
  const pid = Number.parseInt(turn?.lastWorkerIdentity ?? '', 10);
  return Number.isNaN(pid) ? null : pid;
}

/** Known once the run is open. */
async function worktreeOf(run: {
  view(): Promise<{ worktree: string | null; stage: string | null }>;
}): Promise<string> {
  let worktree: string | null = null;
  await until(async () => {
    const view = await run.view();
    worktree = view.worktree;
    return worktree !== null && view.stage === 'executing';
  });
  return worktree ?? '';
}

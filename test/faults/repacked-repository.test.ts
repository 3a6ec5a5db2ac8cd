/**
 * The repository is repacked, and what nothing refers to is pruned at once, at every moment of a run: no object that the run needs is lost.
 * In the moment in which the run needs what no ref holds yet, the same objects are made again from the worktree.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../support/failpoint-home.js';
import { endOf, type HeldRun, holdRun, MOMENTS, type Moment, openRoomyHost, PLAIN_END } from '../support/held-run.js';
import { openedOnce } from '../support/opened.js';
import { livingTurns, type RunTraces, startsOf, tracesOf } from '../support/run-traces.js';
import { sideBySide } from '../support/side-by-side.js';
import { openTestHost } from '../support/test-host.js';
import { fixtureWith, type TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 240_000;

const PACK = [
  'reflog expire --expire=now --all',
  'gc --quiet --prune=now --aggressive',
  'repack -adfq',
  'prune --expire=now',
  'pack-refs --all',
  'maintenance run --quiet --task=gc --task=loose-objects --task=incremental-repack --task=pack-refs',
  'worktree prune --expire=now',
];

/** Without pruning what is younger than two weeks: at the very moment in which somebody writes, git promises nothing for more (git-gc.txt, NOTES). */
const PACK_LIVE = [
  'reflog expire --expire=now --all',
  'gc --quiet --aggressive',
  'repack -adfq',
  'pack-refs --all',
  'worktree prune --expire=now',
];

function packAll({ git }: TestRepository): void {
  for (const line of PACK) git(...line.split(' '));
}

const host = openedOnce(openRoomyHost);

describe('a repository that is repacked and pruned at once', () => {
  let runs: ReadonlyMap<Moment, Promise<{ held: HeldRun; traces: Omit<RunTraces, 'living'> }>>;

  beforeAll(() => {
    runs = sideBySide(MOMENTS, MOMENTS.length, async (moment) => {
      const held = await holdRun(host, moment, { attended: false });
      if (moment === 'in a turn') {
        // As an agent does it that stages its work as it goes.
        writeFileSync(join(held.worktree, 'staged.txt'), 'staged\n');
        held.inWorktree('add', 'staged.txt');
      }
      packAll(held.repository);
      return { held, traces: await endOf(host, held) };
    });
  });
  afterAll(() => Promise.allSettled(runs.values()), LIMIT_MS);

  it.each(MOMENTS)(
    '%s loses no object that the run needs',
    async (moment) => {
      const ended = await runs.get(moment);

      expect(ended?.traces).toMatchObject(PLAIN_END);
      expect(ended?.traces.change).toContain('+changed');
      expect(ended?.traces.change.includes('staged.txt')).toBe(moment === 'in a turn');
      expect(ended?.held.repository.git('fsck', '--connectivity-only', '--no-dangling')).toBe('');
      expect(ended?.held.run.read('report.md')).toContain('a.txt');
    },
    LIMIT_MS,
  );

  it(
    'over and over, from the start of a run to its end, with fix rounds: it ends as it would have, with one commit a write turn',
    async () => {
      const again = { text: 'Not yet.', decision: 'CHANGES_REQUESTED' };
      const repository = await host.repository({
        fixture: {
          ...fixtureWith({
            reviewing: [again, again, { text: 'Looks right.', decision: 'APPROVED' }],
            fixing: [
              { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
              { append: { 'b.txt': 'fixed\n' }, text: 'Fixed.' },
            ],
          }),
        },
      });
      const stop = join(dirname(repository.path), 'stop');
      const line = PACK_LIVE.map((words) => `git ${words}`);
      const loop = spawn('sh', ['-c', `while [ ! -e ${stop} ]; do ${line.join('; ')}; echo; done`], {
        cwd: repository.path,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let rounds = 0;
      loop.stdout.on('data', (chunk: Buffer) => {
        rounds += chunk.length;
      });
      const ended = once(loop, 'exit');
      const run = await host.startRun(repository, { attended: false });
      const result = await run.result();
      writeFileSync(stop, '');
      await ended;

      expect(result).toMatchObject({ outcome: 'merge_ready', error: null });
      expect(rounds).toBeGreaterThan(0);
      expect(repository.git('rev-list', '--count', `main..sluice/${run.runId}`).trim()).toBe('3');
      expect(repository.git('show', `sluice/${run.runId}:a.txt`)).toBe('one\nchanged\nfixed\n');
      expect(['executing', 'fixing', 'reviewing'].map((stage) => startsOf(repository, stage))).toEqual([1, 2, 3]);
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing alive when all of these runs are over',
    async () => {
      await Promise.all(runs.values());

      expect(livingTurns(host.home)).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe('a commit that no ref holds yet', () => {
  it(
    'is pruned while no worker lives: the next one makes the same commit again, and the agent was started once',
    async () => {
      const own = await openTestHost();
      try {
        const repository = await own.repository();
        armFailpoint(own.home, { name: 'turn.after-outcome', nth: 3 });
        const doomed = await own.startWorker({ main: WORKER_WITH_FAILPOINT });
        const dead = once(doomed.process, 'exit');
        const run = await own.startRun(repository, { attended: false });
        await Promise.race([dead, run.result()]);
        expect(firedFailpoint(own.home)).toBe('turn.after-outcome');
        const lost =
          repository.git('fsck', '--unreachable', '--no-reflogs').match(/^unreachable commit (\S+)$/m)?.[1] ?? '';
        packAll(repository);
        expect(existsSync(join(repository.path, '.git/objects', lost.slice(0, 2), lost.slice(2)))).toBe(false);

        await own.startWorker();

        expect(await tracesOf({ run, repository, home: own.home })).toMatchObject({ ...PLAIN_END, living: [] });
        expect(repository.git('rev-parse', `sluice/${run.runId}`).trim()).toBe(lost);
      } finally {
        await own.close();
      }
    },
    LIMIT_MS,
  );
});

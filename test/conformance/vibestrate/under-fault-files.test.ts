/**
 * What lies on disk, over faults: V-16, V-98 and V-99 with SIGKILL of whoever makes worktrees or writes files, two workers at once, and files that
 * are torn, cut, emptied or deleted. Counted by git and by the raw files.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import type { AddWorktreeInput } from '../../../activities/git/worktree/add-worktree.js';
import type { FailpointName } from '../../../protocol/failpoints.js';
import { guardPid } from '../../support/guard-pid.js';
import { afterKills } from '../../support/killed-run.js';
import { openedOnce } from '../../support/opened.js';
import { startsOf, tracesOf } from '../../support/run-traces.js';
import { openTestHost, type TestHost, type TestRun } from '../../support/test-host.js';
import { fixtureWith, makeRepository, PLAIN_VALIDATION, type TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;
const QUICK = 'limits:\n  heartbeat: 1s\n';
const ADD_WORKTREE = fileURLToPath(new URL('../../../dist/activities/git/worktree/add-worktree.js', import.meta.url));

const host = openedOnce(openTestHost);

const worktreesOf = ({ git }: TestRepository) =>
  git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length ?? 0;

describe('worktrees that are made at once', () => {
  const DIRECT = 130;
  const PROCESSES = 3;
  const RUNS = 10;

  it(
    `V-16: ${DIRECT} from ${PROCESSES} processes, of which one gets SIGKILL while it makes one: none fails, and the next process makes what is missing`,
    async () => {
      const folder = join(realpathSync(host.folder), 'many');
      mkdirSync(folder);
      const made = makeRepository(folder);
      const repository = await findRepository(made.path);
      const baseSha = made.git('rev-parse', 'HEAD').trim();
      const inputs = Array.from({ length: DIRECT }, (_, n) => ({
        repository,
        runId: `many-${n}`,
        owner: 'chain-1',
        branch: `sluice/many-${n}`,
        baseSha,
        path: join(folder, 'worktrees', `many-${n}`),
        formerOwner: null,
      }));
      const shares = Array.from({ length: PROCESSES }, (_, n) =>
        inputs.filter((_input, index) => index % PROCESSES === n),
      );

      const makers = shares.map((share) => startMaker(share));
      await makers[0]?.first;
      makers[0]?.child.kill('SIGKILL');
      const [killed, ...others] = await Promise.all(makers.map(({ ended }) => ended));
      const next = await startMaker(shares[0] ?? []).ended;

      expect(killed?.signal).toBe('SIGKILL');
      expect([...others, next].map(({ failures }) => failures)).toEqual([[], [], []]);
      expect([...others, next].map(({ done }) => done)).toEqual([
        shares[1]?.length,
        shares[2]?.length,
        shares[0]?.length,
      ]);
      expect(worktreesOf(made)).toBe(DIRECT + 1);
      expect(made.git('branch', '--list', 'sluice/*').trim().split('\n')).toHaveLength(DIRECT);
      expect(inputs.filter(({ path }) => !existsSync(join(path, '.git')))).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    `V-16: of ${RUNS} runs that start at once on two workers of one home all end well, though one worker gets SIGKILL while the worktrees are made and a person packs`,
    async () => {
      const repository = await host.repository({ config: `stageList: [executing]\n${QUICK}` });
      const workers = [await host.startWorker(), await host.startWorker()];
      const stop = join(host.folder, 'stop-packing');
      const line =
        'n=0; while [ ! -e "$0" ] && [ $n -lt 600 ]; do n=$((n + 1)); git pack-refs --all; git worktree prune; sleep 0.1; done';
      const person = spawn('/bin/sh', ['-c', line, stop], { cwd: repository.path, stdio: 'ignore' });
      const packed = once(person, 'exit');
      const started = Promise.all(Array.from({ length: RUNS }, () => host.startRun(repository)));
      // Counted by their folders: git's own list fails while another git makes one.
      const admin = join(repository.path, '.git/worktrees');
      await until(() => existsSync(admin) && readdirSync(admin).length >= 2);
      await workers[0]?.kill();
      const runs = await started;
      const results = await Promise.all(runs.map((run) => run.result()));
      writeFileSync(stop, '');
      await packed;
      await workers[1]?.kill();

      expect(results.map(({ outcome }) => outcome)).toEqual(runs.map(() => 'merge_ready'));
      expect(worktreesOf(repository)).toBe(RUNS + 1);
      expect(runs.map(({ runId }) => repository.git('log', '--format=%P', `main..sluice/${runId}`).trim())).toEqual(
        runs.map(() => repository.git('rev-parse', 'main').trim()),
      );
      expect(runs.map(({ runId }) => repository.git('show', `sluice/${runId}:a.txt`))).toEqual(
        runs.map(() => 'one\nchanged\n'),
      );
      expect(startsOf(repository, 'executing')).toBe(RUNS);
    },
    LIMIT_MS,
  );
});

describe('a journal that is damaged while nobody works', () => {
  const DAMAGES = {
    'is left alone': () => undefined,
    'is cut in the middle of its bytes': ({ path, text }) =>
      truncateSync(path, Math.floor(Buffer.byteLength(text) / 2)),
    'ends with a torn line': ({ path }) => appendFileSync(path, '{"seq":'),
    'has its last two lines twice, torn together': ({ path, text }) =>
      appendFileSync(path, `${text.split('\n').slice(-3).join('\n').slice(0, -9)}\n`),
    'is emptied': ({ path }) => truncateSync(path, 0),
    'is deleted': ({ path }) => rmSync(path),
    'is deleted with its whole run directory': ({ folder }) => rmSync(folder, { recursive: true }),
  } satisfies Record<string, (journal: { path: string; folder: string; text: string }) => void>;
  type Damage = keyof typeof DAMAGES;
  const NAMES = Object.keys(DAMAGES) as Damage[];
  const ended = new Map<
    Damage,
    { outcome: string; journal: readonly string[] | 'damaged'; starts: readonly number[]; isPrefix: boolean }
  >();

  beforeAll(async () => {
    settings(host, `slots: ${NAMES.length}\n`);
    const worker = await host.startWorker();
    const runs = await Promise.all(NAMES.map(async (name) => ({ name, ...(await heldInReview(host)) })));
    await until(() => runs.every(({ repository }) => startsOf(repository, 'reviewing') === 1));
    process.kill(guardPid(host.home), 'SIGKILL');
    await worker.kill();
    const texts = runs.map(({ run }) => run.read('events.jsonl'));
    for (const [index, { name, run }] of runs.entries()) {
      DAMAGES[name]({ path: join(run.runDir, 'events.jsonl'), folder: run.runDir, text: texts[index] ?? '' });
    }
    const next = await host.startWorker();
    for (const { repository } of runs) repository.release('go');
    for (const [index, { name, run, repository }] of runs.entries()) {
      const { outcome, journal } = await tracesOf({ run, repository, home: host.home });
      const starts = ['executing', 'reviewing'].map((stage) => startsOf(repository, stage));
      ended.set(name, { outcome, journal, starts, isPrefix: run.read('events.jsonl').startsWith(texts[index] ?? '-') });
    }
    await next.kill();
  }, LIMIT_MS);

  it.each(NAMES)(
    'V-98: %s after SIGKILL of worker and guard: at the end it holds every event once, in order, none torn',
    (name) => {
      expect(ended.get('is left alone')?.journal).toContain('run.completed');
      expect(ended.get(name)).toEqual({
        outcome: 'merge_ready',
        starts: [1, 1],
        isPrefix: true,
        journal: ended.get('is left alone')?.journal,
      });
    },
  );
});

describe('the files of the stages', () => {
  const AFTER = [
    ['planning', 'turn.after-outcome', 'planned', 'plan.md'],
    ['architecting', 'turn.after-outcome', 'architected', 'architecture.md'],
    ['executing', 'turn.after-outcome', 'validating', 'execution.log'],
    ['validating', 'validate.after-command', 'reviewing', 'validation.json'],
    ['reviewing', 'turn.after-outcome', 'verifying', 'review.md'],
    ['verifying', 'turn.after-outcome', 'merge_ready', 'verification.md'],
  ] as const;

  /** Where the files of that stage are there, and its answer is not. */
  const FILED = {
    'turn.after-outcome': 'turn.after-projection',
    'validate.after-command': 'validate.before-record',
  } as const satisfies Partial<Record<FailpointName, FailpointName>>;

  interface Announced {
    readonly fired: readonly unknown[];
    readonly outcome: string;
    readonly turns: readonly string[];
    readonly statuses: readonly unknown[];
    /** Each status that stood without its file. */
    readonly missing: readonly string[];
    /** Each status that stood though its worker died before it could be told. */
    readonly early: readonly string[];
    /** Files that said something else after their status. */
    readonly changed: readonly string[];
    readonly files: readonly string[];
  }
  /** Before the file is there, and once it is but its status is not. */
  const KILLED = [AFTER.map(([, name]) => name), AFTER.map(([, name]) => FILED[name])] as const;
  let announced: readonly Promise<Announced>[] = [];

  beforeAll(() => {
    announced = KILLED.map(watchedOverKills);
    for (const one of announced) one.catch(() => undefined);
  });
  afterAll(() => Promise.allSettled(announced), LIMIT_MS);

  it.each([
    ['its outcome and its file', 0],
    ['its file and its status', 1],
  ] as const)(
    'V-99: after SIGKILL in each stage between %s no status stands without its file, and no file changes once it is announced',
    async (_between, index) => {
      expect(await announced[index]).toEqual({
        fired: KILLED[index],
        early: [],
        outcome: 'merge_ready',
        missing: [],
        changed: [],
        turns: AFTER.map(([stage]) => stage).filter((stage) => stage !== 'validating'),
        statuses: expect.arrayContaining(AFTER.map(([, , status]) => status)),
        files: AFTER.map(([, , , file]) => file),
      });
    },
    LIMIT_MS,
  );

  function watchedOverKills(names: readonly FailpointName[]): Promise<Announced> {
    const missing: string[] = [];
    const early: string[] = [];
    const changed: string[] = [];
    const seen = new Map<string, string>();
    const look = (run: TestRun) => {
      const statuses = existsSync(join(run.runDir, 'events.jsonl')) ? run.statuses() : [];
      for (const [, , status, file] of AFTER.filter(([, , one]) => statuses.includes(one))) {
        if (!existsSync(join(run.runDir, file))) missing.push(`${status} without ${file}`);
        else if ((seen.get(file) ?? run.read(file)) !== run.read(file)) changed.push(file);
        else seen.set(file, run.read(file));
      }
    };
    let killed = 0;
    const onKill = (run: TestRun) => {
      const next = AFTER[killed++]?.[2] ?? '';
      if (run.statuses().includes(next)) early.push(next);
      look(run);
    };
    const kills = names.map((name) => ({ name, nth: 1 }));
    return afterKills({ kills, config: `${PLAIN_VALIDATION}${QUICK}`, onKill }, ({ run, fired, result, turns }) => {
      look(run);
      return {
        fired,
        outcome: result.outcome,
        turns,
        statuses: run.statuses(),
        missing,
        early,
        changed,
        files: [...seen.keys()],
      };
    });
  }
});

interface Made {
  readonly done: number;
  readonly failures: readonly string[];
  readonly signal: NodeJS.Signals | null;
}

interface Maker {
  readonly child: ReturnType<typeof spawn>;
  /** Resolves when one worktree is made, or nothing more will be. */
  readonly first: Promise<void>;
  readonly ended: Promise<Made>;
}

/** A process of its own that makes all of them at once. */
function startMaker(inputs: readonly AddWorktreeInput[]): Maker {
  const script = `import { addWorktree } from ${JSON.stringify(ADD_WORKTREE)};
    await Promise.all(JSON.parse(process.env.INPUTS).map((input) =>
      addWorktree(input).then(() => console.log('made'), (error) => console.log('failed ' + error.message.replaceAll('\\n', ' ')))));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, INPUTS: JSON.stringify(inputs) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const first = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => resolve(void lines.push(line)));
    child.once('exit', () => resolve());
  });
  const ended = once(child, 'close').then(([, signal]: unknown[]): Made => {
    const failures = lines.filter((line) => line !== 'made');
    return { done: lines.length - failures.length, failures, signal: signal === 'SIGKILL' ? signal : null };
  });
  return { child, first, ended };
}

async function heldInReview(own: TestHost): Promise<{ run: TestRun; repository: TestRepository }> {
  const reviewing = { text: 'Right.', decision: 'APPROVED', waitFor: 'go' };
  const repository = await own.repository({
    fixture: fixtureWith({ reviewing }),
    config: `stageList: [executing, reviewing]\n${QUICK}`,
  });
  return { run: await own.startRun(repository), repository };
}

function settings(own: TestHost, text: string): void {
  const folder = join(own.env['HOME'] ?? '', '.config/sluice');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), text);
}

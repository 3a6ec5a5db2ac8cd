/**
 * Many at once: runs that Temporal's own client starts together, two hosts on one repository, several `sluice up` on one home. Counted by the agents' ledger,
 * git and the process table. The bench has the large numbers (130 and 100 runs); these are the same shapes, small enough for every test run.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import { readEvents } from '../../activities/journal/events-file.js';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import type { RunResult } from '../../protocol/messages/messages.js';
import { engineStatus } from '../../worker/local-engine/control/ensure-engine.js';
import { type CliResult, type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { openedForEach } from '../support/opened.js';
import { livingTurns, turnFolders } from '../support/run-traces.js';
import { temporalTool } from '../support/temporal-tool.js';
import { openTestHost, runOf, type TestHost, type TestRun } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const RUNS_A_HOST = 6;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];
const EACH_ONCE = STAGES.flatMap((stage) => [`${stage} START`, `${stage} END`]);

describe('two hosts on one repository', () => {
  let first: TestHost;
  let second: TestHost;
  let repository: TestRepository;

  beforeAll(async () => {
    [first, second] = await Promise.all([openTestHost(), openTestHost()]);
    repository = await first.repository();
    await serve(second, repository);
  }, LIMIT_MS);
  afterAll(() => Promise.all([first.close(), second.close()]), LIMIT_MS);

  describe('of one namespace, with twelve runs that Temporal’s own client starts at once', () => {
    let hostOf: ReadonlyMap<string, TestHost>;
    let runs: readonly TestRun[];
    let results: readonly RunResult[];
    let before: string;

    beforeAll(async () => {
      await Promise.all([first.startWorker(), second.startWorker({ env: { TEMPORAL_NAMESPACE: first.namespace } })]);
      before = personsOwn(repository);
      hostOf = new Map(
        [first, second].flatMap((host, index) =>
          Array.from({ length: RUNS_A_HOST }, (_, n) => [`host-${index + 1}-run-${n + 1}`, host] as const),
        ),
      );
      runs = await Promise.all(
        [...hostOf].map(([runId, host]) => startByTool(first, repository, { runId, hostId: host.hostId })),
      );
      results = await Promise.all(runs.map((run) => run.result()));
    }, LIMIT_MS);

    it('all come to their end, each with its five agents started once and its edit made once', async () => {
      expect(results.map(({ outcome }) => outcome)).toEqual(runs.map(() => 'merge_ready'));
      expect(runs.map((run) => agentsOf(run, { repository, host: hostOf.get(run.runId) ?? first }))).toEqual(
        runs.map(() => EACH_ONCE),
      );
      expect(readLedger(repository.ledgerPath)).toHaveLength(runs.length * EACH_ONCE.length);
      expect(runs.map((run) => repository.git('show', `sluice/${run.runId}:a.txt`))).toEqual(
        runs.map(() => 'one\nchanged\n'),
      );
      expect([...livingTurns(first.home), ...livingTurns(second.home)]).toEqual([]);
    });

    it('have a branch each, which nothing moved but its own one commit', () => {
      const heads = repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').trim().split('\n');
      expect(heads.toSorted()).toEqual(['main', ...runs.map(({ runId }) => `sluice/${runId}`)].toSorted());
      for (const { runId } of runs) {
        const branch = `sluice/${runId}`;
        expect(repository.git('reflog', 'show', '--format=%H', branch).trim().split('\n')).toEqual([
          head(branch),
          head('main'),
        ]);
        expect(head(`${branch}^`)).toBe(head('main'));
        expect(head(`refs/sluice/${runId}/head`)).toBe(head(branch));
        expect(repository.git('log', '-1', '--format=%B', branch)).toContain(runId);
      }
    });

    it('have a worktree each, below the home of their own host, and a whole journal', async () => {
      const worktrees = repository.git('worktree', 'list', '--porcelain');
      for (const run of runs) {
        const { worktree } = await run.view();
        expect(worktree?.startsWith(`${(hostOf.get(run.runId) ?? first).home}/worktrees/`)).toBe(true);
        expect(worktrees).toContain(`worktree ${worktree}\n`);
      }
      const journals = await Promise.all(runs.map(journalOf));
      expect(journals[0]).toContain('run.completed');
      expect(journals).toEqual(runs.map(() => journals[0]));
    });

    it('leave the person’s checkout, index and refs as they were, and a repository that git finds whole', () => {
      expect(personsOwn(repository)).toBe(before);
      expect(repository.git('fsck', '--strict', '--no-dangling')).toBe('');
    });
  });

  it(
    'of two servers, asked for one run id at once: one has it, the other is refused and touches nothing of it',
    async () => {
      const third = await openTestHost();
      try {
        await serve(third, repository);
        await third.startWorker();
        const runId = 'asked-of-both';

        const runs = await Promise.all(
          [first, third].map((host) => host.startRun(repository, { runId, host: host.hostId })),
        );
        const ends = await Promise.allSettled(runs.map((run) => run.result()));

        const winners = ends.flatMap((end, index) => (end.status === 'fulfilled' ? [index] : []));
        expect(winners).toHaveLength(1);
        const refused = ends.find((end) => end.status === 'rejected')?.reason as {
          cause?: { type?: string; cause?: { type?: string } };
        };
        expect([refused.cause?.type, refused.cause?.cause?.type]).toContain('RunExists');
        const [winner, loser] = winners[0] === 0 ? [first, third] : [third, first];
        const run = runOf(winner.client.workflow.getHandle(runId), `${repository.path}/.sluice/runs/${runId}`);
        expect(agentsOf(run, { repository, host: winner })).toEqual(EACH_ONCE);
        expect(turnFolders(loser.home).filter((folder) => folder.includes(`/${runId}/turns/`))).toEqual([]);
        expect(repository.git('reflog', 'show', '--format=%H', `sluice/${runId}`).trim().split('\n')).toEqual([
          head(`sluice/${runId}`),
          head('main'),
        ]);
        expect(repository.git('show', `sluice/${runId}:a.txt`)).toBe('one\nchanged\n');
        expect(await journalOf(run)).toContain('run.completed');
      } finally {
        await third.close();
      }
    },
    LIMIT_MS,
  );

  function head(ref: string): string {
    return repository.git('rev-parse', ref).trim();
  }
});

describe('several `sluice up` on one home at once', () => {
  const CALLERS = 5;
  const world = openedForEach(openCliWorld);

  it(
    'have one engine in the end, also when the one that won is killed at once: only the caller that started it is told of its death',
    async () => {
      const callers = Array.from({ length: CALLERS }, () => world.start(['up', '--json']).done);
      let killed = 0;
      await until(async () => {
        killed = (await engineStatus(world.home))?.pid ?? 0;
        return killed !== 0;
      });
      process.kill(killed, 'SIGKILL');
      const answers = await Promise.all(callers);

      const up = answers.filter(({ code }) => code === 0).map(upOf);
      const told = answers.filter(({ code }) => code !== 0);
      expect(told.length).toBeLessThanOrEqual(1);
      for (const { code, stdout, stderr } of told) {
        expect(code).toBe(1);
        expect(`${stdout}${stderr}`).toMatch(/ended before it was up[\s\S]*sluice up/);
      }
      const now = await engineStatus(world.home);
      expect(now?.pid).not.toBe(killed);
      expect(new Set(up.map(({ address }) => address))).toEqual(new Set([now?.address]));
      expect(upOf(await world.sluice(['up', '--json']))).toMatchObject({ started: false, address: now?.address });
      // A caller that lost the lock has ended with its engine process; nothing of the killed one is left.
      await until(() => engineProcesses(world).length === 3);
      expect(new Set(engineProcesses(world))).toEqual(new Set([now?.pid, now?.serverPid, now?.workerPid]));
    },
    LIMIT_MS,
  );
});

/** Puts a repository of another host on this one's list. */
async function serve(host: TestHost, repository: TestRepository): Promise<void> {
  await addRepository(host.home, repository.path);
  await trustConfig(host.home, repository.path, repository.configText);
}

async function startByTool(
  host: TestHost,
  repository: TestRepository,
  { runId, hostId }: { runId: string; hostId: string },
): Promise<TestRun> {
  const input = JSON.stringify({ task: `change a.txt (${runId})`, repo: repository.path, host: hostId });
  await temporalTool(host.env).json(
    'start',
    '--type',
    'run',
    '--task-queue',
    'sluice',
    '--workflow-id',
    runId,
    '--input',
    input,
  );
  return runOf(host.client.workflow.getHandle(runId), `${repository.path}/.sluice/runs/${runId}`);
}

/** `stage event` of the agents of one run: its turns are those whose folders stand below the run's state. */
function agentsOf(
  { runId }: TestRun,
  { repository, host }: { repository: TestRepository; host: TestHost },
): readonly string[] {
  const tokens = turnFolders(host.home)
    .filter((folder) => folder.includes(`/${runId}/turns/`))
    .map((folder) => folder.replace(/^.*\/\d+-/, ''));
  return readLedger(repository.ledgerPath)
    .filter(({ token }) => tokens.includes(token))
    .map(({ stage, event }) => `${stage} ${event}`);
}

/** Errors: a line that is torn, doubled or out of number. */
async function journalOf({ runDir }: TestRun): Promise<readonly string[]> {
  const path = `${runDir}/events.jsonl`;
  const events = await readEvents(path);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  if (lines.length !== events.length || events.some(({ seq }, index) => seq !== index + 1))
    throw new Error(`${path} is damaged`);
  return events.map(({ type }) => type);
}

function personsOwn({ path, git }: TestRepository): string {
  const index = readFileSync(`${path}/.git/index`).toString('base64');
  const config = readFileSync(`${path}/.git/config`, 'utf8');
  return [
    index,
    config,
    git('--no-optional-locks', 'status', '--porcelain=v2', '--branch'),
    git('rev-parse', 'HEAD'),
  ].join('\n');
}

function upOf({ stdout }: CliResult): Readonly<Record<string, unknown>> {
  return jsonLines(stdout)[0] ?? {};
}

/** Engines, servers and workers that live: not the guard, which ends itself. */
function engineProcesses(world: CliWorld): readonly number[] {
  return world.living().filter((pid) => {
    const command = commandOf(pid);
    return (
      command.startsWith('sluice-engine') || command.includes('start-dev') || command.includes('/programs/worker.js')
    );
  });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RUN_MESSAGES } from '../../../protocol/messages/message-rows.js';
import { TERMINAL_STATUSES } from '../../../protocol/run/lifecycle.js';
import { CLI } from '../../support/cli-world.js';
import { openGate } from '../../support/decide-gates.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { heldIn, letGo, reached } from '../../support/held-stage.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { footprintOf } from '../../support/run-footprint.js';
import { openTestHost, runOf, type TestHost } from '../../support/test-host.js';
import { fixtureWith, type TestRepository } from '../../support/test-repository.js';

const ONE = 'stageList: [executing]\n';
const REVIEWED = 'stageList: [executing, reviewing]\n';
const NEVER = { reviewing: { text: 'Never.', decision: 'BLOCKED' } };
const BROKEN = { executing: { text: 'Broke.', exit: 1 } };

const CASES = {
  merge_ready: { config: ONE },
  blocked: { config: REVIEWED, stages: NEVER },
  failed: { config: ONE, stages: BROKEN },
  aborted: {
    config: `gates: [executing]\n${ONE}`,
    async meanwhile(run) {
      await openGate(run);
      await run.handle.executeUpdate('abort', { args: [{ by: 'ada' }] });
    },
  },
} satisfies Record<string, RunCase>;

type Name = keyof typeof CASES;

/** What each message needs to be understood. */
const ARGUMENTS = { steer: { text: 'mind the gap' }, rename: { title: 'another' }, answer: { text: 'yes' } } as const;

/** Every command that sends a run something; the last of it stands behind the run. */
const COMMANDS: readonly (readonly [Name, string, readonly string[]])[] = [
  ['merge_ready', 'approve', []],
  ['blocked', 'approve', ['--gate', 'gate-1']],
  ['failed', 'reject', ['-m', 'no']],
  ['aborted', 'reject', ['--gate', 'gate-1']],
  ['merge_ready', 'pause', []],
  ['blocked', 'resume', []],
  ['aborted', 'abort', []],
  ['merge_ready', 'abort', ['--wait']],
  ['failed', 'steer', ['mind the gap']],
  ['merge_ready', 'answer', ['yes']],
  ['blocked', 'rename', ['another']],
  ['aborted', 'approvals decide', ['--approve']],
  ['merge_ready', 'approvals decide', ['--request-changes', 'more']],
];

describe('a closed run', () => {
  let host: TestHost;
  let runs: Record<Name, EndedRun>;
  let before: readonly unknown[];

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
    before = await everything();
  }, 300_000);

  afterAll(() => host.close());

  /** What the runs are, on the server and on disk. */
  function everything(): Promise<readonly unknown[]> {
    return Promise.all(
      Object.values(runs).map(async (ended) => {
        const { historyLength, status } = await ended.run.handle.describe();
        return { historyLength, status: status.name, view: await ended.run.view(), left: footprintOf(host, ended) };
      }),
    );
  }

  it('V-80: has one of four statuses', () => {
    expect(Object.values(runs).map(({ view }) => view.status)).toEqual(['merge_ready', 'blocked', 'failed', 'aborted']);
    expect([...TERMINAL_STATUSES].toSorted()).toEqual(Object.keys(CASES).toSorted());
  });

  it.each(RUN_MESSAGES)('V-80: refuses %s as Update and as Signal, in each of the four', async (name) => {
    const argument = { by: 'ada', ...(name in ARGUMENTS ? ARGUMENTS[name as keyof typeof ARGUMENTS] : {}) };

    for (const { run } of Object.values(runs)) {
      const notFound = { name: 'WorkflowNotFoundError', message: expect.stringMatching(/completed/) };
      await expect(run.handle.executeUpdate(name, { args: [argument] })).rejects.toMatchObject(notFound);
      await expect(run.handle.signal(name, argument)).rejects.toMatchObject(notFound);
    }
  });

  it.each(COMMANDS)('V-80: that is %s refuses `sluice %s` with %j', async (name, command, more) => {
    const { run, repository } = runs[name];

    const { code, stdout, stderr } = await sluiceBeside(host, [...command.split(' '), run.runId, ...more], {
      cwd: repository.path,
    });

    expect(stdout).toBe('');
    expect(stderr).toMatch(/is closed|no open gate|has no gate|is expired already/);
    expect(stderr).toContain(run.runId);
    expect(code).toBe(3);
  });

  it('V-80: is after all that what it was, on the server and on disk', async () => {
    expect(await everything()).toEqual(before);
  });
});

describe('a waiting `sluice run`', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, 300_000);

  afterAll(() => host.close());

  const run = ({ path }: TestRepository, ...more: readonly string[]) =>
    sluiceBeside(host, ['run', 'change a.txt', ...more], { cwd: path });
  const runsOf = ({ path }: TestRepository) => {
    const folder = join(path, '.sluice/runs');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name !== '.gitignore') : [];
  };

  it('V-84: exits with 0 when the run is merge_ready', async () => {
    const repository = await host.repository({ config: ONE });

    const { code, stdout } = await run(repository);

    expect(stdout).toContain('merge_ready');
    expect(code).toBe(0);
  }, 300_000);

  it('V-84: exits with 1 when no run was started', async () => {
    const repository = await host.repository({ config: ONE });

    const { code, stderr } = await run(repository, '--base', 'nowhere');

    expect(stderr).toContain('Nothing was started.');
    expect(code).toBe(1);
    expect(runsOf(repository)).toEqual([]);
  }, 300_000);

  it('V-84: exits with 2 when the run failed', async () => {
    const repository = await host.repository({ config: ONE, fixture: fixtureWith(BROKEN) });

    const { code, stdout } = await run(repository);

    expect(stdout).toMatch(/^failed/m);
    expect(code).toBe(2);
  }, 300_000);

  it('V-84: exits with 3 when the run is blocked', async () => {
    const repository = await host.repository({ config: REVIEWED, fixture: fixtureWith(NEVER) });

    const { code, stdout } = await run(repository);

    expect(stdout).toContain('blocked: review_blocked');
    expect(code).toBe(3);
  }, 300_000);

  it('V-84: exits with 3 when the run was aborted', async () => {
    const repository = await host.repository({ fixture: fixtureWith({ executing: { hang: true } }), config: ONE });

    const waiting = run(repository, '--run-id', 'aborted-by-ada');
    await reached(host, repository, 'executing');
    await host.client.workflow.getHandle('aborted-by-ada').executeUpdate('abort', { args: [{ by: 'ada' }] });
    const { code, stdout } = await waiting;

    expect(stdout).toMatch(/^aborted/m);
    expect(code).toBe(3);
  }, 300_000);

  it('V-84: exits with 130 on Ctrl+C, and the run goes on to its end', async () => {
    const repository = await host.repository({ ...heldIn(host, 'executing') });
    const args = [CLI, 'run', 'change a.txt', '--run-id', 'left-alone'];
    const waiting = spawn(process.execPath, args, {
      cwd: repository.path,
      env: { ...host.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [waiting.stdout, waiting.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const closed = once(waiting, 'close');
    await reached(host, repository, 'executing');

    waiting.kill('SIGINT');
    const [code] = await closed;
    const left = runOf(host.client.workflow.getHandle('left-alone'), join(repository.path, '.sluice/runs/left-alone'));
    const status = (await left.view()).status;
    letGo(host);

    expect(code).toBe(130);
    expect(printed).toContain('sluice watch left-alone');
    expect(status).toBe('executing');
    expect((await left.result()).outcome).toBe('merge_ready');
  }, 300_000);
});

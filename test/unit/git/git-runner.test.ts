import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createGitRunner, type GitRunner } from '../../../activities/git/runner/git-runner.js';
import { type GitStart, startGit } from '../../../activities/git/runner/start-git.js';
import { findGitProgram } from '../../../activities/git/start/git-program.js';
import { until } from '../../support/until.js';
import { removeFolders, tempFolder } from './repository-fixture.js';

const MAIN = resolve('dist/activities/git/runner/main.js');
const PATH = process.env['PATH'] ?? '';

const runners: GitRunner[] = [];

function aRunner(): GitRunner {
  const runner = createGitRunner({ main: MAIN });
  runners.push(runner);
  return runner;
}

function git(args: readonly string[], more: Partial<GitStart> = {}): GitStart {
  return { program: findGitProgram().program, args, env: { PATH, LC_ALL: 'C' }, ...more };
}

afterEach(() => {
  for (const runner of runners.splice(0)) runner.close();
  removeFolders();
});

/** A `git` that tells its process id and then sleeps, and one that besides does not hear SIGTERM. */
const SLOW = { 'that ends at once': '', 'that does not hear SIGTERM': "trap '' TERM; " } as const;

describe.each(Object.keys(SLOW) as (keyof typeof SLOW)[])('a slow git %s', (kind) => {
  it.each([
    ['a direct start', startGit],
    ['the git runner', (start: GitStart, signal: AbortSignal) => aRunner().run(start, signal)],
  ])('is gone after an abort: %s', async (_, run) => {
    const told = join(tempFolder(), 'pid');
    const abort = new AbortController();
    const script = `${SLOW[kind]}echo $$ > ${told}.new; mv ${told}.new ${told}; exec sleep 600`;
    const running = run({ ...git(['-c', script]), program: '/bin/sh' }, abort.signal);
    const ended = expect(running).rejects.toThrow('git was ended');
    await until(() => existsSync(told));

    abort.abort();

    await ended;
    expect(isAlive(Number(readFileSync(told, 'utf8')))).toBe(false);
  });

  it('is gone at its limit too, and answers as one that failed', async () => {
    const script = `${SLOW[kind]}exec sleep 600`;

    const answer = await startGit({ ...git(['-c', script]), program: '/bin/sh', limitMs: 50 });

    expect(answer).toMatchObject({ exitCode: 128, limit: 'time' });
  });
});

describe('the git runner', () => {
  it.each([
    ['output', git(['--version'])],
    ['an exit code with what git said', git(['rev-parse', '--verify', 'nothing'], { cwd: '/' })],
    ['input and every character of it', git(['hash-object', '--stdin'], { input: 'ü\0\u{1f600}\n' })],
    [
      'exactly the environment',
      git(['var', 'GIT_AUTHOR_IDENT'], {
        env: { PATH, GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_AUTHOR_DATE: '@1 +0000' },
      }),
    ],
  ])('answers what a direct start answers: %s', async (_, start) => {
    const direct = await startGit(start);

    const answered = await aRunner().run(start);

    expect(answered).toEqual(direct);
  });

  it('answers calls that run at once each with its own output', async () => {
    const runner = aRunner();
    const inputs = Array.from({ length: 20 }, (_, n) => `text ${n}`);

    const answers = await Promise.all(inputs.map((input) => runner.run(git(['stripspace'], { input }))));

    expect(answers.map(({ stdout }) => stdout)).toEqual(inputs.map((input) => `${input}\n`));
  });

  it('throws for a git that cannot be started', async () => {
    await expect(aRunner().run(git(['--version'], { cwd: '/there/is/no/such/folder' }))).rejects.toThrow('ENOENT');
  });

  it('throws for calls that are lost with it, and starts again for the next one', async () => {
    const runner = aRunner();
    await runner.run(git(['--version']));
    const first = runner.pid() ?? 0;
    const waiting = runner.run(git(['-c', 'alias.wait=!sleep 5', 'wait']));

    process.kill(first, 'SIGKILL');

    await expect(waiting).rejects.toThrow('the git runner was lost');
    expect((await runner.run(git(['--version']))).exitCode).toBe(0);
    expect(runner.pid()).not.toBe(first);
  });

  it('keeps no process from ending and ends with it', async () => {
    const program = `
      import { createGitRunner } from ${JSON.stringify(MAIN.replace(/main\.js$/, 'git-runner.js'))};
      const runner = createGitRunner({ main: ${JSON.stringify(MAIN)} });
      await runner.run(${JSON.stringify(git(['--version']))});
      console.log(runner.pid());
    `;

    const args = ['--input-type=module', '-e', program];
    const pid = Number(
      execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000, env: { PATH } }).trim(),
    );

    expect(pid).toBeGreaterThan(1);
    await until(() => !isAlive(pid));
    expect(isAlive(pid)).toBe(false);
  });
});

/** A process that ended counts as gone before the system's first process has taken note of it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itWhere } from '../../support/it-where.js';

/** Made by the build, which every way to run the tests does first. */
const CLI = resolve('dist/client/cli/main.js');
const BUNDLED = resolve('dist/programs/cli.js');
const RUN_ID = 'shop-261121-abcd';

const fullTest = itWhere(existsSync('/dev/full'), 'no device that is always full');

let folder: string;
let repo: string;
let env: NodeJS.ProcessEnv;

const aView = (task: string) => ({
  runId: RUN_ID,
  workflowId: RUN_ID,
  task,
  title: 'Fix \u001b[31mit',
  preset: 'default',
  status: 'merge_ready',
  outcome: 'merge_ready',
  stage: null,
  repo,
  worktree: null,
  host: 'abc123',
  branch: `sluice/${RUN_ID}`,
  baseBranch: 'main',
  baseSha: null,
  headSha: null,
  reviewLoopCount: 0,
  maxReviewLoops: 0,
  finalDecision: 'APPROVED',
  verification: 'PASSED',
  pauseRequested: false,
  pausedAtStatus: null,
  pendingApprovalId: null,
  approvalRequestedFromStatus: null,
  waiting: null,
  blockedReason: null,
  error: null,
  resumedFrom: null,
  merge: 'unmerged',
  agent: { name: 'demo', adapter: 'scripted' },
  startedAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:09.000Z',
  seq: 30,
});

const sluice = (...args: string[]) =>
  spawnSync(process.execPath, [CLI, ...args], { cwd: repo, env, encoding: 'utf8', maxBuffer: 10 ** 7 });

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sluice-cli-')));
  repo = join(folder, 'shop with spaces ✨');
  const runDir = join(repo, '.sluice', 'runs', RUN_ID);
  await mkdir(runDir, { recursive: true });
  spawnSync('git', ['init', '--quiet', repo]);
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args]);
  git('commit', '--quiet', '--allow-empty', '-m', 'start');
  await writeFile(join(runDir, 'state.json'), JSON.stringify(aView('long '.repeat(80_000))));
  env = { PATH: process.env['PATH'], HOME: folder, SLUICE_HOME: join(folder, 'home'), SLUICE_TEMPORAL_DOWNLOAD: 'off' };
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the built command line', () => {
  it('shows its help without loading what talks to a server', async () => {
    const coverage = join(folder, 'coverage');

    expect(spawnSync(process.execPath, [CLI, '--help'], { env: { ...env, NODE_V8_COVERAGE: coverage } }).status).toBe(
      0,
    );

    const [file] = await readdir(coverage);
    const loaded = JSON.parse(await readFile(join(coverage, file ?? ''), 'utf8')).result.map(
      ({ url }: { url: string }) => url,
    );
    expect(loaded).toContainEqual(expect.stringContaining('/dist/client/cli/main.js'));
    expect(loaded.filter((url: string) => /@temporalio|\/grpc|protobufjs/.test(url))).toEqual([]);
  });

  it('sends 400 kB of JSON whole through a slow pipe', async () => {
    const child = spawn(process.execPath, [CLI, 'status', '--json'], {
      cwd: repo,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = new Promise<number | null>((done) => child.once('close', done));
    const chunks: Buffer[] = [];

    for await (const chunk of child.stdout) {
      chunks.push(chunk);
      await delay(2);
    }

    const text = Buffer.concat(chunks).toString('utf8');
    expect(await closed).toBe(0);
    expect(text.length).toBeGreaterThan(400_000);
    expect(text.endsWith('\n')).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ runId: RUN_ID, task: 'long '.repeat(80_000) });
  });

  it('ends quietly when the reader of its pipe goes away', () => {
    const { status, stderr } = spawnSync('sh', ['-c', '"$0" "$1" status --json | head -c 10', process.execPath, CLI], {
      cwd: repo,
      env,
      encoding: 'utf8',
    });

    expect(status).toBe(0);
    expect(stderr).toBe('The engine is down; this is what the run last wrote.\n');
  });

  const inShell = (line: string, ...args: string[]) =>
    spawnSync('sh', ['-c', line, process.execPath, CLI, ...args], {
      cwd: repo,
      env,
      encoding: 'utf8',
      maxBuffer: 10 ** 7,
    });

  fullTest.each([
    ['takes nothing', '"$0" "$@" > /dev/full'],
    // A write beyond the limit is cut short first, as on a disk that runs full.
    ['takes a part of a text', `trap '' XFSZ; ulimit -f 8; "$0" "$@" > part.json`],
  ])('says of an output that %s why, and is not done', (_, line) => {
    const { status, stderr } = inShell(line, 'status', '--json');

    expect(status).toBe(1);
    expect(stderr).toMatch(/\nsluice: standard output cannot be written.*\n.*\n {2}What was printed is not whole\./);
    expect(stderr).not.toContain('defect');
  });

  fullTest('names a full disk under its output, with what mends it', () => {
    const { stderr } = inShell('"$0" "$@" > /dev/full', 'states');

    expect(stderr).toMatch(/^sluice: standard output cannot be written, the disk is full: [^]*\n {2}df -h; df -i\n$/);
  });

  fullTest('prints the result where only its progress cannot be written', () => {
    const { status, stdout } = inShell('"$0" "$@" 2> /dev/full', 'status', '--json');

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ runId: RUN_ID });
  });

  it('reads the files of a run while the engine is down, says so, and starts nothing', () => {
    const { status, stdout, stderr } = sluice('list', '--json');

    expect(status).toBe(0);
    expect(stderr).toBe('The engine is down; these are the run folders of the known repositories.\n');
    expect(JSON.parse(stdout)).toMatchObject({ runId: RUN_ID, status: 'merge_ready', execution: null });
    expect(spawnSync('ls', [join(folder, 'home')]).status).not.toBe(0);
  });

  it('prints the whole end of a closed run that only its files tell of', () => {
    const { status, stdout } = sluice('watch', RUN_ID, '--json');

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'ended',
      how: 'closed',
      branch: `sluice/${RUN_ID}`,
      runDir: join(repo, '.sluice', 'runs', RUN_ID),
      diff: null,
    });
  });

  it.each([
    ['that was opened, whatever its program prints', 'echo noise', { kind: 'opened', runId: RUN_ID }],
    ['that was not, where it cannot be started', 'no-such-program', { kind: 'error', exitCode: 1 }],
  ])('prints one object of a report %s', async (_, BROWSER, object) => {
    await writeFile(join(repo, '.sluice', 'runs', RUN_ID, 'report.md'), '# report');
    const { stdout, stderr } = spawnSync(process.execPath, [CLI, 'open', RUN_ID, '--report', '--json'], {
      cwd: repo,
      env: { ...env, BROWSER },
      encoding: 'utf8',
    });

    expect(JSON.parse(stdout)).toMatchObject(object);
    expect(stderr.includes('noise /')).toBe(BROWSER === 'echo noise');
  });

  it('lets no control sequence of a title reach the terminal', () => {
    const { stdout } = sluice('status', 'abcd');

    expect(stdout).toContain('Fix');
    expect(stdout).not.toContain('\u001b');
  });

  it.each(['run', 'task create'])('takes a program behind %s, and refuses a dead server in four parts', (command) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [CLI, ...command.split(' '), 'x', '--agent', 'command', '--', 'cat'],
      {
        cwd: repo,
        env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' },
        encoding: 'utf8',
      },
    );

    expect(status).toBe(1);
    expect(stderr).toMatch(
      /127\.0\.0\.1:1 \(from TEMPORAL_ADDRESS\) does not answer\n.*\n {2}Nothing was started\.\n[^]*--local/,
    );
    expect(spawnSync('ls', [join(folder, 'home')]).status).not.toBe(0);
  });

  /** A command of a program that another build has taken the place of: of its chunks those of one part are gone. */
  const runWithout = async (part: string, ...args: string[]) => {
    const programs = join(folder, part, 'dist/programs');
    await cp(resolve('dist/programs'), programs, { recursive: true, filter: (path) => !/\/cache$|\.map$/.test(path) });
    const chunks = join(programs, 'chunks');
    for (const name of await readdir(chunks)) if (name.startsWith(part)) await rm(join(chunks, name));
    const former = join(programs, 'former.js');
    await rename(join(programs, 'cli.js'), former);
    return spawnSync(process.execPath, [former, ...args], {
      cwd: repo,
      env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' },
      encoding: 'utf8',
    });
  };
  const PART_GONE =
    /(?:^|\n)sluice: a part of this program is gone: it was built anew .*\n(?: {2}\S.*\n)* {2}sluice list\n {2}then the same command, unless .*\n$/;

  it('blames no server for a part that it cannot load since another build has its place', async () => {
    const { status, stderr } = await runWithout('sluice-', 'list');

    expect(status).toBe(1);
    expect(stderr).toMatch(PART_GONE);
  });

  it('starts no run where the part that watches it is gone', async () => {
    const { status, stderr } = await runWithout('after-run-', 'run', 'x', '--agent', 'command', '--', 'cat');

    expect(status).toBe(1);
    expect(stderr).toMatch(PART_GONE);
  });

  it.each([
    ['an unknown command', ['rnu'], 'Did you mean run?'],
    ['an empty task', ['run', ''], 'the task is empty'],
    ['a run that is not there', ['status', 'zzz'], 'no run has "zzz" in its id or title'],
    ['a folder that is no repository', ['run', 'x', '--repo', '/'], 'is not a git repository'],
    ['no agent at all', ['run', 'x'], 'sluice init'],
  ])('answers %s with exit code 1 and no stack', (_, args, text) => {
    const { status, stderr } = sluice(...args);

    expect(status).toBe(1);
    expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['approve', ['approve']],
    ['reject', ['reject', '-m', 'no']],
    ['approvals decide', ['approvals', 'decide', RUN_ID, '--approve']],
    ['pause', ['pause']],
    ['resume', ['resume']],
    ['abort', ['abort']],
    ['steer', ['steer', 'use a map']],
    ['answer', ['answer', '80']],
    ['rename', ['rename', 'another title']],
  ])('sends no %s from inside a turn, and none while the engine is down', (name, args) => {
    const inside = spawnSync(process.execPath, [CLI, ...args], {
      cwd: repo,
      env: { ...env, SLUICE_TURN: 'a-token' },
      encoding: 'utf8',
    });
    const down = sluice(...args);

    expect(inside.status).toBe(1);
    expect(inside.stderr).toMatch(
      /inside a turn \(SLUICE_TURN is set\)\n.*not sent from inside a turn.*\n {2}Nothing was sent\.\n/,
    );
    expect(down.status).toBe(1);
    expect(down.stderr).toMatch(
      new RegExp(`engine is down.*\\n.*\\n {2}Nothing was sent.*\\n {2}sluice up && sluice ${name}`),
    );
  });

  it.each([
    ['no decision', ['approvals', 'decide', RUN_ID], 'no decision is named'],
    ['two decisions', ['approvals', 'decide', RUN_ID, '--approve', '--reject'], '2 decisions are named'],
    ['changes without a text', ['approvals', 'decide', RUN_ID, '--request-changes', ' '], '--request-changes is empty'],
    ['a text that is too long', ['steer', 'x'.repeat(4001)], 'at most 4000 are taken'],
    ['a title that is too long', ['rename', 'x'.repeat(121)], 'at most 120 are taken'],
  ])('refuses %s before a server is asked', (_, args, text) => {
    const { status, stderr } = sluice(...args);

    expect(status).toBe(1);
    expect(stderr).toContain(text);
    expect(stderr).toContain('Nothing was sent.');
  });

  it('shows the gates of a run from its files while the engine is down', () => {
    const list = sluice('approvals', 'list', RUN_ID);

    expect(list.status).toBe(1);
    expect(list.stderr).toContain('approvals.json');
    expect(sluice('approvals', 'list').stdout).toContain('No run waits for a person.');
  });

  it.each([CLI, BUNDLED])('says in a folder that is gone what mends it, and shows its help there: %s', (program) => {
    const inGone = (...args: string[]) =>
      spawnSync(
        'sh',
        ['-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh', process.execPath, program, ...args],
        {
          cwd: folder,
          env: { ...env, SLUICE_HOME: 'home' },
          encoding: 'utf8',
        },
      );
    const status = inGone('status', '--json');

    expect(status.status).toBe(1);
    expect(status.stderr).toMatch(/^sluice: the folder that you stand in is gone: .*\n(?: {2}\S.*\n){2} {2}cd\n/);
    expect(status.stderr).not.toMatch(/^\s+at /m);
    expect(JSON.parse(status.stdout)).toMatchObject({
      kind: 'error',
      exitCode: 1,
      mend: expect.stringMatching(/^cd\b/),
    });
    expect(inGone('up').stderr).toBe(status.stderr);
    expect(inGone('--help').status).toBe(0);
  });

  it.each([
    ['a task', ['run'], 'Nothing was started.'],
    ['a task of a backlog', ['task', 'create', '-'], 'Nothing was started.'],
    ['a steer', ['steer', '-'], 'Nothing was sent.'],
    ['an answer', ['answer', '-'], 'Nothing was sent.'],
  ])('takes no bytes for %s that are no UTF-8, which it would change', (_, args, now) => {
    const told = (input: Buffer) =>
      spawnSync(process.execPath, [CLI, ...args], { cwd: repo, env, input }).stderr.toString();

    const refused = told(Buffer.from('prüfe es', 'latin1'));

    expect(refused).toMatch(/^sluice: the text on standard input is no UTF-8\n.*\n {2}Nothing was .*\n {2}iconv /);
    expect(refused).toContain(now);
    expect(told(Buffer.from('prüfe es'))).not.toContain('UTF-8');
  });

  it('tells errors as one object with --json', () => {
    const { status, stdout } = sluice('status', 'zzz', '--json');

    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'error', exitCode: 1, mend: 'sluice list' });
  });
});

/** A newcomer's way through the built command line, in a repository outside the project, on one local engine of their own. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT, makeCliRepository, UNTOUCHED } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';

const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

let world: CliWorld;
let agent: string;

beforeAll(async () => {
  world = openCliWorld();
  agent = world.script('agent', GOOD_AGENT);
  await world.sluice(['up']);
}, 300_000);
afterAll(() => world.close(), 120_000);

const withAgent = () => ['--agent', 'command', '--', agent];

describe('sluice init && sluice run', () => {
  let repository: CliRepository;
  let runId: string;

  beforeAll(async () => {
    repository = world.repository('newcomer');
    repository.write('package.json', '{"scripts":{"test":"grep -q changed a.txt"}}');
    const init = await world.sluice(['init', '--json', '--agent', 'command', '--', agent], { cwd: repository.path });
    expect(jsonLines(init.stdout)[0]).toMatchObject({ kind: 'written', repo: repository.path });
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'tests and config');
    const run = await world.sluice(['run', 'add a line', '--json'], { cwd: repository.path });
    const [started, ended] = jsonLines(run.stdout);
    expect(started).toMatchObject({ kind: 'started', title: 'add a line' });
    expect(ended).toMatchObject({ kind: 'ended', how: 'closed', outcome: 'merge_ready', verdict: 'verified' });
    expect(run.code).toBe(0);
    runId = String(started?.['runId']);
  }, 300_000);

  it('starts each agent once and leaves one commit that plain git can look at', () => {
    expect(readFileSync(join(world.person, 'agent.txt'), 'utf8').trim().split('\n')).toEqual(STAGES);
    expect(repository.git('rev-list', '--count', `main..sluice/${runId}`).trim()).toBe('1');
    expect(repository.git('diff', '--stat', 'main', `sluice/${runId}`)).toContain('a.txt | 1 +');
  });

  it.each([
    ['list', (line: Record<string, unknown>) => line['status'] === 'merge_ready' && line['runId'] === runId],
    ['status', (line: Record<string, unknown>) => line['status'] === 'merge_ready' && line['seq'] !== undefined],
    ['watch @last', (line: Record<string, unknown>) => line['kind'] === 'event' || line['outcome'] === 'merge_ready'],
    ['logs', (line: Record<string, unknown>) => line['kind'] === 'event' && typeof line['seq'] === 'number'],
    ['diff', (line: Record<string, unknown>) => line['files'] === 1 && String(line['patch']).includes('+changed')],
    ['path', (line: Record<string, unknown>) => existsSync(join(String(line['worktree']), 'a.txt'))],
    [
      'config',
      (line: Record<string, unknown>) => typeof line['key'] === 'string' && typeof line['origin'] === 'string',
    ],
    ['doctor', (line: Record<string, unknown>) => ['ok', 'warn'].includes(String(line['grade']))],
    ['states', (line: Record<string, unknown>) => Array.isArray(line['statuses'])],
    [
      'up',
      (line: Record<string, unknown>) => line['started'] === false && String(line['address']).startsWith('127.0.0.1:'),
    ],
    ['trust', (line: Record<string, unknown>) => line['new'] === false && line['startsPrograms'] === true],
  ])('is told by `sluice %s --json` as documented objects', async (command, fits) => {
    const { code, stdout, stderr } = await world.sluice([...command.split(' '), '--json'], { cwd: repository.path });

    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(jsonLines(stdout).filter((line) => !fits(line))).toEqual([]);
    expect(jsonLines(stdout).length).toBeGreaterThan(0);
  });

  it('gives a patch that git apply takes, and the output of a turn', async () => {
    const diff = await world.sluice(['diff', runId], { cwd: repository.path });
    const turn = await world.sluice(['logs', runId, '--turn', '2'], { cwd: repository.path });

    expect(execFileSync('git', ['apply', '--check'], { cwd: repository.path, input: diff.stdout }).toString()).toBe('');
    expect(turn.stdout).toContain('the part of planning');
  });

  it('is told in one file by `sluice report`, with the numbers of metrics.json, as long as its files are here', async () => {
    const runDir = join(repository.path, '.sluice/runs', runId);
    const metrics = JSON.parse(readFileSync(join(runDir, 'metrics.json'), 'utf8')) as Record<string, number | null>;
    const file = join(world.folder, 'of-newcomer.html');

    const made = await world.sluice(['report', runId, '--out', file, '--json'], { cwd: repository.path });
    renameSync(runDir, `${runDir}.away`);
    const refused = await world.sluice(['report', runId, '--out', file], { cwd: repository.path });
    renameSync(`${runDir}.away`, runDir);

    const html = readFileSync(file, 'utf8');
    expect(jsonLines(made.stdout)).toEqual([{ kind: 'report', runId, file, bytes: Buffer.byteLength(html) }]);
    expect(Buffer.byteLength(html)).toBeLessThan(200_000);
    const told = [...html.matchAll(/<data value="(\d+)">/g)].map(([, value]) => Number(value));
    const known = Object.values(metrics).filter((value) => value !== null);
    expect(told.toSorted((a, b) => a - b)).toEqual(known.toSorted((a, b) => a - b));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('are not on this machine')]);
  });

  it('can be started again by the line that Temporal needs, with the same end', async () => {
    const { stdout } = await world.sluice(['up', '--json']);
    const { address, binary } = JSON.parse(stdout) as { address: string; binary: string };
    const input = JSON.stringify({ task: 'add a line', repo: repository.path });
    const env = { ...world.env, TEMPORAL_ADDRESS: address };
    const temporal = (...args: string[]) => execFileSync(binary, ['workflow', ...args], { env, encoding: 'utf8' });

    temporal('start', '--type', 'run', '--task-queue', 'sluice', '--workflow-id', 'by:hand', '--input', input);
    const result = temporal('result', '--workflow-id', 'by:hand', '--output', 'json');

    expect(JSON.parse(result)).toMatchObject({
      status: 'COMPLETED',
      result: { outcome: 'merge_ready', branch: 'sluice/by-hand', verdict: 'verified' },
    });
    expect(repository.git('diff', 'main', 'sluice/by-hand')).toBe(repository.git('diff', 'main', `sluice/${runId}`));
  }, 300_000);
});

describe("a start by Temporal's own tools", () => {
  it.each([
    ['nothing', {}, 'task must be a text'],
    ['no repository', { task: 'x' }, 'repo must be the absolute path'],
    ['a task of 1 MB', { task: 'x'.repeat(1_000_000), repo: '/nowhere' }, 'at most 262144'],
    ['a repository that this host does not serve', { task: 'x', repo: 'UNSERVED' }, 'sluice init'],
    ['a folder that is no repository', { task: 'x', repo: '/' }, 'not in the work tree of a git repository'],
  ])('is refused and says why: %s', async (name, input, says) => {
    const unserved = makeCliRepository(join(world.folder, `unserved ${name}`));
    const { stdout } = await world.sluice(['up', '--json']);
    const { address, binary } = JSON.parse(stdout) as { address: string; binary: string };
    const id = `refused-${name.replaceAll(' ', '-')}`;
    unserved.write('../input.json', JSON.stringify(input).replace('UNSERVED', unserved.path));
    const start = [
      'workflow',
      'start',
      '--type',
      'run',
      '--task-queue',
      'sluice',
      '--workflow-id',
      id,
      '--input-file',
      join(world.folder, 'input.json'),
    ];
    const env = { TEMPORAL_ADDRESS: address };

    const started = await world.program([binary, ...start], { env }).done;
    const result = await world.program([binary, 'workflow', 'result', '--workflow-id', id], { env }).done;

    expect(started.code).toBe(0);
    expect(result.code).not.toBe(0);
    expect(result.stdout).toContain(says);
    expect(result.stdout).toContain('Nothing was started.');
    expect(unserved.traces()).toEqual(UNTOUCHED);
  });
});

describe("a person's checkout", () => {
  it('stays as it is, byte for byte, when it is dirty', async () => {
    const repository = world.repository('dirty');
    repository.write('a.txt', 'stashed\n');
    repository.git('stash', '-q');
    repository.write('a.txt', 'changed by hand\n');
    repository.write('staged.txt', 'staged\n');
    repository.git('add', 'staged.txt');
    repository.write('untracked.txt', 'untracked\n');
    const before = repository.checkout();

    const { code, stdout } = await world.sluice(['run', 'add a line', '--json', ...withAgent()], {
      cwd: repository.path,
    });

    expect(code).toBe(0);
    expect(repository.checkout()).toEqual(before);
    expect(repository.git('show', `${String(jsonLines(stdout)[1]?.['branch'])}:a.txt`)).toBe('one\nchanged\n');
  });

  it('may have a detached HEAD', async () => {
    const repository = world.repository('detached');
    repository.git('checkout', '-q', '--detach');
    const before = repository.checkout();

    const { code } = await world.sluice(['run', 'add a line', ...withAgent()], { cwd: repository.path });

    expect(code).toBe(0);
    expect(repository.checkout()).toEqual(before);
  });

  it('may have names with spaces, quotes, a newline and emoji, also in its branch', async () => {
    const repository = world.repository('a "b" \'c\'\n🎉 d');
    repository.git('checkout', '-q', '-b', 'wéird/🎉"q\'');
    repository.write('sub dir/ü "x".txt', 'x\n');
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'names');
    const strange = join(world.folder, 'bin', 'my "agent" 🎉');
    execFileSync('cp', [agent, strange]);

    const { code, stdout } = await world.sluice(['run', '-', '--json', '--agent', 'command', '--', strange], {
      cwd: join(repository.path, 'sub dir'),
      input: '🎉 "quoted" \'task\'\nwith a second line\n',
    });

    expect(code).toBe(0);
    expect(jsonLines(stdout)[1]).toMatchObject({ outcome: 'merge_ready', title: '🎉 "quoted" \'task\'' });
    expect((await world.sluice(['diff', '--stat', '--json'], { cwd: repository.path })).stdout).toContain('"files":1');
  });
});

describe('a program behind --agent command', () => {
  it('may be named from where one stands', async () => {
    const repository = world.repository('relative');

    const { code } = await world.sluice(
      ['run', 'x', '--repo', repository.path, '--agent', 'command', '--', './agent'],
      {
        cwd: join(world.folder, 'bin'),
      },
    );

    expect(code).toBe(0);
  });
});

describe('names that are taken', () => {
  it('refuses a run id that another run has, and leaves that run alone', async () => {
    const repository = world.repository('taken');
    const args = ['run', 'x', '--run-id', 'mine', ...withAgent()];
    expect((await world.sluice(args, { cwd: repository.path })).code).toBe(0);
    const before = repository.traces();

    const again = await world.sluice(args, { cwd: repository.path });

    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(
      /the run id mine is taken\n.*\n {2}Nothing was started; .*\n {2}sluice status mine\n.*--run-id/,
    );
    expect(repository.traces()).toEqual(before);
  });

  it.each(['worktree', 'branch'])("refuses a run whose %s is somebody else's, and touches nothing", async (what) => {
    const repository = world.repository(`taken ${what}`);
    expect(
      (await world.sluice(['run', 'x', '--run-id', `${what}-0`, ...withAgent()], { cwd: repository.path })).code,
    ).toBe(0);
    const { stdout } = await world.sluice(['path', `${what}-0`], { cwd: repository.path });
    const theirs = join(stdout.trim(), '..', `${what}-1`);
    if (what === 'worktree') mkdirSync(theirs);
    else repository.git('branch', `sluice/${what}-1`);
    const before = repository.traces();

    const { code, stderr } = await world.sluice(['run', 'x', '--run-id', `${what}-1`, ...withAgent()], {
      cwd: repository.path,
    });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /exists already.*\n {2}A run needs a branch and a worktree of its own\.\n {2}Nothing was started; .*\n.*git branch --list/,
    );
    expect(repository.traces()).toEqual(before);
    expect(
      readdirSync(join(world.home, 'state'), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(`${what}-1`)),
    ).toEqual([]);
  });
});

it('two runs at once in one repository both end, each with its own branch', async () => {
  const repository = world.repository('two');
  const start = () => world.sluice(['run', 'add a line', '--json', ...withAgent()], { cwd: repository.path });

  const results = await Promise.all([start(), start()]);

  expect(results.map(({ code }) => code)).toEqual([0, 0]);
  expect(repository.traces()).toMatchObject({ worktrees: 3, branches: ['main', expect.anything(), expect.anything()] });
});

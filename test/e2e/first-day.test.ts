/** What a person meets on their first day: ids that speak, the work as it goes, the run in their editor, examples that work when pasted. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '../../client/cli/program/examples.js';
import { createSluice } from '../../client/sluice.js';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

let world: CliWorld;
let agent: string;
let repository: CliRepository;
let runId: string;
let told: string;

const sluice = (...args: readonly string[]) => world.sluice(args, { cwd: repository.path });

/** Lists what stands in the folder of the run while its agent is at work. */
const SLOW_AGENT = `echo "I look at the parser"; echo "token ghp_${'a'.repeat(36)}"; sleep 3; cat "$1"/.sluice/runs/*/live.json >> "$1/../seen" 2>/dev/null; ${GOOD_AGENT}`;

beforeAll(async () => {
  world = openCliWorld();
  agent = world.script('agent', GOOD_AGENT);
  repository = world.repository('shop');
  const slow = world.script('slow-agent', SLOW_AGENT);
  writeFileSync(join(world.folder, 'seen'), '');
  repository.write('.gitignore', 'node_modules\n.sluice/runs\n');
  repository.write(
    '.sluice/config.yaml',
    [
      '# ours',
      'version: 1',
      `agents: {main: {command: [${slow}, ${repository.path}]}}`,
      'agent: main',
      'worktree: {setup: [mkdir node_modules && sleep 3]}',
      'validation: {commands: [test -d node_modules]}',
      '',
    ].join('\n'),
  );
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  await sluice('trust');
  repository.write('draft.txt', 'mine');
  const run = await sluice('run', 'Mend the reader of src/parse.ts, please', '--stages', 'express');
  told = `${run.stdout}${run.stderr}`;
  [runId = ''] = readdirSync(join(repository.path, '.sluice/runs')).filter((name) => name.startsWith('mend-'));
  expect(run.code).toBe(0);
}, 300_000);
afterAll(() => world.close(), 120_000);

describe('a run without an id of its own', () => {
  it('is called by what it is about, and so is its branch', () => {
    expect(runId).toMatch(/^mend-reader-src-parse-[a-z]{4}$/);
    expect(repository.git('branch', '--list', `sluice/${runId}`)).toContain(runId);
  });

  it('says what of the checkout it does not have', () => {
    expect(told).toContain('Note: 1 file of your checkout is not committed, and not in the run: draft.txt');
  });

  it('tells each step once, and the commands that take a while', () => {
    const steps = told.split('\n').map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, ''));
    const times = (step: string) => steps.filter((line) => line === step).length;

    expect(times('running set-up: mkdir node_modules && sleep 3')).toBeGreaterThan(0);
    expect(times('executing started (agent main)')).toBe(1);
    expect(steps.filter((line) => line.startsWith('status '))).toEqual([]);
    expect(times('merge_ready')).toBe(1);
    expect(steps).toContain('committed 1 file, +1 −0');
  });

  it('showed the agent’s own words while it worked, without its secrets, and shows none when it is over', () => {
    const seen = readFileSync(join(world.folder, 'seen'), 'utf8');

    expect(seen).toContain('I look at the parser');
    expect(seen).toContain('token [redacted:github-token]');
    expect(existsSync(join(repository.path, '.sluice/runs', runId, 'live.json'))).toBe(false);
  });

  it('leaves no checkout of its own and no packages behind', async () => {
    const { stdout } = await sluice('path');
    const worktree = stdout.trim();

    expect(existsSync(join(worktree, 'a.txt'))).toBe(true);
    expect(existsSync(join(worktree, 'node_modules'))).toBe(false);
    expect(existsSync(`${worktree}+validation`)).toBe(false);
  });
});

describe('sluice open', () => {
  it('hands worktree, file and report to the programs of the person', async () => {
    const { stdout } = await sluice('path');
    const editor = world.script('editor', `printf '%s\\n' "$@" > '${world.folder}/opened'`);
    const opened = async (args: readonly string[], env: Record<string, string>) => {
      const { code } = await world.sluice(['open', ...args], { cwd: repository.path, env });
      return [code, readFileSync(join(world.folder, 'opened'), 'utf8').trim()];
    };

    expect(await opened([], { VISUAL: `${editor} --wait` })).toEqual([0, `--wait\n${stdout.trim()}`]);
    expect(await opened(['reader', '--file', 'a.txt'], { EDITOR: editor })).toEqual([0, join(stdout.trim(), 'a.txt')]);
    expect(await opened(['--report'], { BROWSER: editor })).toEqual([
      0,
      join(repository.path, '.sluice/runs', runId, 'report.md'),
    ]);
  });

  it('opens nothing outside of the worktree, and says which variable is missing', async () => {
    const { stdout } = await sluice('path');
    symlinkSync('/etc/passwd', join(stdout.trim(), 'link'));
    const out = await world.sluice(['open', '--file', 'link'], { cwd: repository.path, env: { VISUAL: 'cat' } });
    const none = await sluice('open');
    const missing = await world.sluice(['open'], { cwd: repository.path, env: { VISUAL: 'no-such-editor' } });

    expect([out.code, out.stderr]).toEqual([1, expect.stringContaining('it leads out of the worktree')]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('export VISUAL=code')]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('"no-such-editor" (from VISUAL)')]);
  });
});

describe('a config that is there', () => {
  it('gets the agent that init names, with its comments, and stays trusted', async () => {
    const added = await sluice('init', '--json', '--agent', 'command', '--', agent, '--fast');
    const text = readFileSync(join(repository.path, '.sluice/config.yaml'), 'utf8');
    const again = await sluice('init', '--json', '--agent', 'command', '--', agent, '--fast');
    const trust = await sluice('trust', '--json');

    expect(jsonLines(added.stdout)).toMatchObject([{ kind: 'added', agent: 'agent' }]);
    expect(text).toMatch(/^# ours\n/);
    expect(jsonLines(again.stdout)).toMatchObject([{ kind: 'exists', agent: 'agent' }]);
    expect(jsonLines(trust.stdout)).toMatchObject([{ new: false }]);
  });

  it('is told key by key, or what of it is changed', async () => {
    const keysOf = async (...args: readonly string[]) =>
      jsonLines((await sluice('config', '--json', ...args)).stdout).map(({ key }) => key);
    const changed = await keysOf('--changed');

    expect(await keysOf('worktree.setup')).toEqual(['worktree.setup']);
    expect(await keysOf('worktrees')).toEqual(['worktrees.keep']);
    expect(changed).toEqual(expect.arrayContaining(['worktree.setup', 'agent']));
    expect(changed).not.toContain('rounds');
    expect((await sluice('config', 'worktree.stup')).stderr).toContain('did you mean worktree.setup?');
  });
});

describe('a start', () => {
  it('with a gate that nobody will see says so, unless it is told that nobody is there', async () => {
    const start = (...options: readonly string[]) =>
      sluice('run', 'x', '--gate', 'planning', ...options, '--agent', 'command', '--', agent);
    const [silent, told] = [await start(), await start('--unattended')];

    expect([silent.code, silent.stderr]).toEqual([3, expect.stringContaining('to have it wait: --attended')]);
    expect([told.code, told.stderr]).toEqual([3, expect.not.stringContaining('Note: nobody attends')]);
  }, 300_000);

  it('that is left alone is told once', async () => {
    const { stdout } = await sluice('run', 'x', '--run-id', 'alone-1', '--detach', '--agent', 'command', '--', agent);

    expect(stdout).toBe('Started alone-1. Watch it with: sluice watch alone-1\n');
  });

  it('names a host that nobody knows, and is refused with the known ones', async () => {
    const file = join(world.folder, 'tasks.jsonl');
    writeFileSync(file, '{"task":"x","host":"nowhere"}\n');
    for (const args of [
      ['run', 'x', '--host', 'nowhere'],
      ['batch', file],
    ]) {
      const { code, stderr } = await sluice(...args);

      expect(code).toBe(1);
      expect(stderr).toMatch(/the host is "nowhere".*\n {2}known hosts: [\w-]+\n/);
    }
  });

  it('of a batch takes the agent behind its dashes', async () => {
    const file = join(world.folder, 'batch.jsonl');
    writeFileSync(file, '{"task":"one"}\n{"task":"two"}\n');

    const { code, stdout } = await sluice('batch', file, '--json', '--agent', 'command', '--', agent);

    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ rows: [{ outcome: 'merge_ready' }, { outcome: 'merge_ready' }] });
  }, 300_000);

  it('that waits for a host that is away is listed by its title, and as aborted when it is', async () => {
    const { address } = JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8')) as { address: string };
    await using client = await createSluice({ address, dataConverter: {} });
    await client.startRun({ runId: 'waits-1', input: { task: 'Wait for it', repo: repository.path, host: 'away' } });
    const listed = async () =>
      jsonLines((await sluice('list', '--json')).stdout).find(({ runId: id }) => id === 'waits-1');

    expect(await listed()).toMatchObject({ title: 'Wait for it', status: null });
    expect((await sluice('abort', 'waits-1', '-m', 'never mind', '--wait')).code).toBe(0);
    await until(async () => (await listed())?.['closedAt'] !== null);

    expect(await listed()).toMatchObject({ title: 'Wait for it', status: 'aborted' });
    expect((await sluice('status', 'waits-1', '--json')).stdout).toContain('"status":"aborted"');
  }, 300_000);
});

describe('the examples of the help', () => {
  const PASTED = [
    'list',
    'status',
    'logs',
    'diff',
    'show',
    'path',
    'replay',
    'audit',
    'policies',
    'budget',
    'approvals list',
    'quota list',
    'landings list',
    'config',
    'states',
    'doctor',
    'completion',
    'clean',
    'trust',
  ];

  beforeAll(async () => {
    const home = join(world.folder, 'bin');
    mkdirSync(home, { recursive: true });
    world.script('sluice', `exec '${process.execPath}' '${join(process.cwd(), 'dist/programs/cli.js')}' "$@"`);
    const run = await sluice('run', 'Fix the parser', '--run-id', 'fix-parser-1', '--agent', 'command', '--', agent);
    expect(run.code).toBe(0);
  }, 300_000);

  it.each(PASTED.flatMap((name) => (EXAMPLES[name] ?? []).filter((line) => !/--give-up|--call|\.config/.test(line))))(
    '%s works when it is pasted',
    async (line) => {
      const env = { PATH: `${join(world.folder, 'bin')}:${process.env['PATH']}` };
      const { code, stderr } = await world.program(['bash', '-c', line], { cwd: repository.path, env }).done;

      expect([code, stderr.split('\n').filter((text) => text.startsWith('sluice:'))]).toEqual([0, []]);
    },
  );
});

/** What `sluice run` refuses on its own: four parts, exit 1, and nothing made, not even a sluice home. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT, UNTOUCHED } from '../support/cli-repository.js';
import { type CliResult, type CliWorld, openCliWorld } from '../support/cli-world.js';

let world: CliWorld;
let repository: CliRepository;
let agent: string;

beforeAll(() => {
  world = openCliWorld();
  repository = world.repository();
  agent = world.script('agent', GOOD_AGENT);
});
afterAll(() => world.close());

const run = (cwd: string, ...options: readonly string[]) =>
  world.sluice(['run', 'add a line', ...options, '--agent', 'command', '--', agent], { cwd });

/** Four lines: what, why, what is true, what mends it. */
function isRefused({ code, stdout, stderr }: CliResult): boolean {
  const [, why = '', ...rest] = stderr
    .trimEnd()
    .replace(/^Note: .*\n/, '')
    .split('\n');
  const isFourParts =
    /^sluice: /m.test(stderr) && why.startsWith('  ') && rest.some((line) => line === '  Nothing was started.');
  return (
    code === 1 &&
    stdout === '' &&
    isFourParts &&
    !(rest.at(-1) ?? '').includes('Nothing was') &&
    !/^\s+at .*:\d+:\d+/m.test(stderr)
  );
}

describe('a run from a folder that no run can start from', () => {
  it.each([
    ['no repository', (at: string) => mkdirSync(at), 'is not a git repository', 'git init'],
    [
      'a bare repository',
      (at: string) => execFileSync('git', ['init', '-q', '--bare', at]),
      'is a bare repository',
      'git clone',
    ],
    [
      'a repository without commits',
      (at: string) => execFileSync('git', ['init', '-q', at]),
      'has no commits',
      'git commit',
    ],
  ])('is refused: %s', async (name, make, what, mend) => {
    const folder = join(world.folder, name);
    make(folder);

    const result = await run(folder);

    expect(isRefused(result)).toBe(true);
    expect(result.stderr).toContain(what);
    expect(result.stderr).toContain(mend);
    expect(existsSync(world.home)).toBe(false);
  });

  it('is refused for a folder that is not there', async () => {
    const result = await run(world.folder, '--repo', 'nowhere');

    expect(isRefused(result)).toBe(true);
    expect(result.stderr).toContain('there is no folder');
  });
});

describe('a run with a bad argument', () => {
  it.each([
    ['an unknown base', ['--base', 'nope'], '"nope" (from --base)', 'git branch --list'],
    ['an id that climbs', ['--run-id', '../x'], '--run-id is "../x"', '--run-id fix-parser-1'],
    ['an id of 81 characters', ['--run-id', 'a'.repeat(81)], '1 to 80 characters', '--run-id fix-parser-1'],
    ['an id that git would take for a lock', ['--run-id', 'a.lock'], 'not ending in .lock', '--run-id fix-parser-1'],
    ['an id with a newline', ['--run-id', 'a\nb'], '--run-id is', '--run-id fix-parser-1'],
    ['an unknown stage list', ['--stages', 'some'], '--stages is "some"', 'express'],
    ['a title of two lines', ['--title', 'a\nb'], '--title is', '--title'],
  ])('is refused: %s', async (_, options, what, mend) => {
    const result = await run(repository.path, ...options);

    expect(isRefused(result)).toBe(true);
    expect(result.stderr).toContain(what);
    expect(result.stderr).toContain(mend);
    expect(repository.traces()).toEqual(UNTOUCHED);
    expect(existsSync(world.home)).toBe(false);
  });

  it('is refused for a task of 1 MB from standard input', async () => {
    const result = await world.sluice(['run', '--agent', 'command', '--', agent], {
      cwd: repository.path,
      input: 'x'.repeat(1_000_000),
    });

    expect(result.stderr).toContain('1000000 bytes');
    expect(isRefused(result)).toBe(true);
  });
});

describe('a run without a usable agent', () => {
  it('says what was found, and names --agent and sluice init', async () => {
    repository.write('package.json', '{"scripts":{"test":"node test.js"}}');

    const { code, stderr } = await world.sluice(['run', 'x'], { cwd: repository.path });

    expect(code).toBe(1);
    expect(stderr).toMatch(/Found in package\.json:\n {2}install +none\n {2}tests +npm test\n {2}agent +none\n/);
    expect(stderr).toContain('no agent is configured and none is named');
    expect(stderr).toContain('Nothing was started.');
    expect(stderr).toMatch(/--agent command -- .*\n.*sluice init --agent/);
    expect(existsSync(world.home)).toBe(false);
  });

  it.each([
    ['missing', 'no-such-program', 'there is none of that name'],
    ['not executable', '/etc/passwd', 'chmod +x /etc/passwd'],
    ['a folder', '/etc', 'there is none of that name'],
    ['in the repository, where an agent can write', './a.txt', 'outside the repository'],
  ])('is refused when its program is %s', async (_, program, text) => {
    const result = await world.sluice(['run', 'x', '--agent', 'command', '--', program], { cwd: repository.path });

    expect(result.code).toBe(1);
    expect(result.stderr).toContain(text);
    expect(result.stderr).toContain('Nothing was started.');
    expect(existsSync(world.home)).toBe(false);
    expect(repository.traces()).toEqual(UNTOUCHED);
  });
});

describe('a run with a config that cannot be used', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replace(/./g, (key, at: number) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]\n`)}`;

  it.each([
    ['an unknown key', 'version: 1\nvalidashun:\n  commands: [x]\n', '.sluice/config.yaml:2:1', 'validation'],
    ['a wrong type', 'version: 1\nvalidation:\n  timeout: [1]\n', '.sluice/config.yaml:3:12', 'timeout'],
    ['a YAML bomb', bomb, '.sluice/config.yaml', 'alias'],
    ['5 MB', `version: 1\n#${'x'.repeat(5_000_000)}\n`, '.sluice/config.yaml', 'at most'],
    ['both spellings of a key', 'version: 1\nrunsDir: a\nproject:\n  runsDir: b\n', '.sluice/config.yaml', 'runsDir'],
    ['no YAML at all', '{{{\n', '.sluice/config.yaml:', ''],
  ])('is refused: %s', async (name, text, place, says) => {
    const project = world.repository(name);
    project.write('.sluice/config.yaml', text);

    const result = await run(project.path);

    expect(isRefused(result)).toBe(true);
    expect(result.stderr).toContain(place);
    expect(result.stderr).toContain(says);
    expect(result.stderr.length).toBeLessThan(3_000);
    expect(project.traces()).toEqual(UNTOUCHED);
    expect(existsSync(world.home)).toBe(false);
  });

  it('is refused when it starts programs that nobody trusted, and nothing of it runs', async () => {
    const project = world.repository('untrusted');
    const touched = join(world.folder, 'touched');
    project.write('.sluice/config.yaml', `version: 1\nworktree:\n  setup: ["touch ${touched}"]\n`);
    project.git('add', '-A');
    project.git('commit', '-q', '-m', 'config');

    const result = await run(project.path);

    expect(isRefused(result)).toBe(true);
    expect(result.stderr).toContain('nobody trusted it');
    expect(result.stderr).toContain('sluice trust');
    expect(existsSync(touched)).toBe(false);
    expect(project.traces()).toEqual(UNTOUCHED);
    expect(existsSync(world.home)).toBe(false);
  });

  it('is told as one object with --json, with the same four parts', async () => {
    const project = world.repository('json');
    writeFileSync(join(project.path, 'a.txt'), 'dirty\n');
    project.write('.sluice/config.yaml', 'rounds: -1\n');

    const { code, stdout } = await world.sluice(['run', 'x', '--json', '--agent', 'command', '--', agent], {
      cwd: project.path,
    });

    expect(code).toBe(1);
    const error = JSON.parse(stdout) as Record<string, string>;
    expect(error).toMatchObject({ kind: 'error', now: 'Nothing was started.', exitCode: 1 });
    expect(error['what']).toContain('.sluice/config.yaml:1:');
    expect(error['why']).not.toBe('');
    expect(error['mend']).not.toBe('');
  });
});

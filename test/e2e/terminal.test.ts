/** The live panel on a real pseudo-terminal, what is asked there, and the help of every command. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { CLI, type CliWorld, openCliWorld } from '../support/cli-world.js';
import { itWhere } from '../support/it-where.js';

const COMMANDS = 'demo init run list status watch logs diff path up down worker doctor config trust states'.split(' ');

let world: CliWorld;
let agent: string;

beforeAll(() => {
  world = openCliWorld();
  agent = world.script('agent', GOOD_AGENT);
});
afterAll(() => world.close(), 120_000);

/** `sluice` on a terminal of that width, by script(1) of util-linux. */
function onTerminal(
  columns: number,
  args: readonly string[],
  options: { cwd: string; input?: string; isTyped?: boolean },
) {
  const words = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ');
  const env = { TERM: 'xterm-256color' };
  return world.program(['script', '-qec', `stty cols ${columns} rows 24; ${words}`, '/dev/null'], { ...options, env });
}

const hasScript = execFileSync('sh', ['-c', 'command -v script || true'], { encoding: 'utf8' }) !== '';

describe('a terminal', () => {
  const onScript = itWhere(hasScript, 'script(1) is not on PATH');

  onScript.each([
    [30, 'n', 'sluice land ', 0],
    [80, '\u0003', 'Nothing was landed.', 130],
    [120, 'y', 'has landed on main', 0],
  ])(
    'of %d columns shows a run live, no line wider than it, then how it ended, and asks whether to land: %s',
    async (columns, answer, said, exitCode) => {
      const repository = world.repository(`terminal ${columns}`);

      const run = onTerminal(columns, ['run', 'add a line to a.txt', '--agent', 'command', '--', agent], {
        cwd: repository.path,
        isTyped: true,
      });
      await run.prints('Land on main now?');
      run.process.stdin?.write(answer);
      const { code, stdout } = await run.done;

      const lastErase = stdout.lastIndexOf('\u001b[0J');
      const live = stdout.slice(0, lastErase);
      const lines = live.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').split(/\r*\n\r*/);
      expect(code).toBe(exitCode);
      expect(live).toContain('executing');
      expect(live).toMatch(/\u001b\[\d+A/);
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      expect(stdout.slice(lastErase)).toContain('merge_ready');
      expect(stdout.slice(lastErase)).toContain(said);
      expect(repository.git('show', 'main:a.txt')).toBe(answer === 'y' ? 'one\nchanged\n' : 'one\n');
    },
    120_000,
  );

  onScript(
    'is asked once before a config that starts programs is used; "no" starts nothing',
    async () => {
      const repository = world.repository('asked');
      const touched = join(world.folder, 'touched');
      repository.write(
        '.sluice/config.yaml',
        `version: 1\nagent: a\nagents: { a: { command: [${agent}] } }\nworktree: { setup: ["touch ${touched}"] }\n`,
      );

      const { code, stdout } = await onTerminal(100, ['run', 'x'], { cwd: repository.path, input: 'n' }).done;

      expect(stdout).toContain('Trust this config?');
      expect(stdout).toContain('Nothing was started.');
      expect(code).toBe(1);
      expect(existsSync(touched)).toBe(false);
      expect(repository.traces().branches).toEqual(['main']);
    },
    120_000,
  );

  onScript.each([
    ['Ctrl+C', '\u0003'],
    ['Escape', '\u001b'],
  ])(
    'takes %s at a question for a stop, which is neither yes nor no',
    async (name, key) => {
      const repository = world.repository(`left by ${name}`);
      repository.write('package.json', '{ "scripts": { "test": "true" } }\n');
      const run = onTerminal(100, ['run', 'x', '--agent', 'command', '--', agent], {
        cwd: repository.path,
        isTyped: true,
      });
      await run.prints('trust it and use it?');
      run.process.stdin?.write(key);
      const { code, stdout } = await run.done;

      expect(stdout).toContain('Nothing was written, and nothing was started.');
      expect(stdout).toContain('The same command asks again.');
      expect(code).toBe(130);
      expect(existsSync(join(repository.path, '.sluice/config.yaml'))).toBe(false);
      expect(repository.traces().branches).toEqual(['main']);
    },
    120_000,
  );

  onScript.each([
    ['no', 'n', 1],
    ['Ctrl+C', '\u0003', 130],
  ])(
    'removes nothing at %s, and says so by its exit code',
    async (name, key, exitCode) => {
      const repository = world.repository(`kept at ${name}`);
      const ran = await world.sluice(['run', 'x', '--agent', 'command', '--json', '--', agent], {
        cwd: repository.path,
      });
      const [branch = ''] = repository.traces().branches.filter((name) => name !== 'main');
      const clean = onTerminal(100, ['clean', branch.replace('sluice/', ''), '--give-up'], {
        cwd: repository.path,
        isTyped: true,
      });
      await clean.prints('Remove it?');
      clean.process.stdin?.write(key);
      const { code, stdout } = await clean.done;

      expect(ran.code).toBe(0);
      expect(stdout).toContain('Nothing was removed.');
      expect(code).toBe(exitCode);
      expect(repository.traces().branches).toContain(branch);
    },
    120_000,
  );
});

describe('help', () => {
  it('lists every command', async () => {
    const { code, stdout } = await world.sluice(['--help']);

    expect(code).toBe(0);
    expect(COMMANDS.filter((name) => !new RegExp(`^ {2}${name}\\b`, 'm').test(stdout))).toEqual([]);
  });

  it('of every command names --json and its exit codes', async () => {
    const helps = await Promise.all(COMMANDS.map((name) => world.sluice([name, '--help'])));

    expect(
      helps.filter(
        ({ code, stdout }) => code !== 0 || !stdout.includes('--json') || !/Exit codes:\n {2}0 /.test(stdout),
      ),
    ).toEqual([]);
  });
});

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
function onTerminal(columns: number, args: readonly string[], options: { cwd: string; input?: string }) {
  const words = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ');
  const env = { TERM: 'xterm-256color' };
  return world.program(['script', '-qec', `stty cols ${columns} rows 24; ${words}`, '/dev/null'], { ...options, env })
    .done;
}

const hasScript = execFileSync('sh', ['-c', 'command -v script || true'], { encoding: 'utf8' }) !== '';

describe('a terminal', () => {
  const onScript = itWhere(hasScript, 'script(1) is not on PATH');

  onScript.each([30, 120])(
    'of %d columns shows a run live, no line wider than it, and then how it ended',
    async (columns) => {
      const repository = world.repository(`terminal ${columns}`);

      const { code, stdout } = await onTerminal(
        columns,
        ['run', 'add a line to a.txt', '--agent', 'command', '--', agent],
        {
          cwd: repository.path,
        },
      );

      const lastErase = stdout.lastIndexOf('\u001b[0J');
      const live = stdout.slice(0, lastErase);
      const lines = live.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').split(/\r*\n\r*/);
      expect(code).toBe(0);
      expect(live).toContain('executing');
      expect(live).toMatch(/\u001b\[\d+A/);
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      expect(stdout.slice(lastErase)).toContain('merge_ready');
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

      const { code, stdout } = await onTerminal(100, ['run', 'x'], { cwd: repository.path, input: 'n' });

      expect(stdout).toContain('Trust this config?');
      expect(stdout).toContain('Nothing was started.');
      expect(code).toBe(1);
      expect(existsSync(touched)).toBe(false);
      expect(repository.traces().branches).toEqual(['main']);
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

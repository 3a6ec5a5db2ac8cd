/** A machine that has run out of something when a command starts: four lines with the command that mends it, never a defect and never a stack. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliResult, type CliWorld, openCliWorld } from '../../support/cli-world.js';
import { itWhere } from '../../support/it-where.js';
import { canMount, smallDisk } from '../../support/small-disk.js';

/** As compiled, file by file: a bundle reads one after the other and needs few descriptors. */
const COMPILED = resolve('dist');
const CLI = join(COMPILED, 'client/cli/main.js');
const LIMIT_MS = 300_000;
const mountTest = itWhere(canMount(), 'no right to mount a tmpfs');

let world: CliWorld;
let env: Record<string, string>;

beforeAll(() => {
  world = openCliWorld();
  // It says its version; no command here comes so far that it would be started.
  env = { SLUICE_TEMPORAL_CLI: world.script('temporal', 'echo "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"') };
});
afterAll(() => world.close(), LIMIT_MS);

/** Of soft and hard limit, so that nobody raises it again. */
function limited(limit: string, ...args: readonly string[]): Promise<CliResult> {
  return world.program(['sh', '-c', `ulimit ${limit}; exec "$@"`, 'sh', process.execPath, CLI, ...args], { env }).done;
}

function fourLines(what: RegExp, mend: string): unknown {
  return {
    code: 1,
    lines: [
      expect.stringMatching(what),
      expect.stringMatching(/^ {2}\S/),
      expect.stringMatching(/^ {2}\S/),
      `  ${mend}`,
    ],
  };
}

/** Without the line of a looking command that the engine is down, which it says before it loads what reads the files. */
function saidBy({ code, stderr }: CliResult): unknown {
  const lines = stderr.trimEnd().split('\n');
  return { code, lines: lines.filter((line) => !line.startsWith('The engine is down; ')) };
}

describe('too few file descriptors', () => {
  const WHAT = /^sluice: there are too few file descriptors: /;

  it.each([64, 48, 40, 32, 24, 22])(
    'for loading the program (%i) are named, with what mends it, by every command',
    async (limit) => {
      const said = await Promise.all(['up', 'list', 'run', 'doctor'].map((command) => limited(`-n ${limit}`, command)));

      // Which file was one too many depends on the command; at some of these limits a small one has enough.
      const failed = said.filter(({ stderr }) => /EMFILE|Cannot find (?:package|module)/.test(stderr));
      expect(said.map(({ stderr }) => stderr).join('')).not.toMatch(/defect|\n\s+at |node:internal/);
      expect(failed.map(saidBy)).toEqual(failed.map(() => fourLines(WHAT, 'sudo prlimit --pid $$ --nofile=1024')));
      expect(failed).not.toEqual([]);
      expect(failed[0]?.stderr).toContain(`may open ${limit} files`);
    },
    LIMIT_MS,
  );

  it(
    'for the engine are refused before anything of it starts',
    async () => {
      const said = await limited('-n 120', 'up');

      expect(saidBy(said)).toEqual(
        fourLines(
          /^sluice: The local engine was not started: there are too few/,
          'sudo prlimit --pid $$ --nofile=1024  # then: sluice up',
        ),
      );
      expect(said.stderr).toContain('may open 120 files; sluice needs 128');
    },
    LIMIT_MS,
  );

  it.each(['worker/main.js', 'worker/local-engine/main.js', 'activities/process/guard/main.js'])(
    'for %s are its last words, four lines as well',
    async (entry) => {
      const program = join(COMPILED, entry);
      const said = await world.program(['sh', '-c', 'ulimit -n 22; exec "$@"', 'sh', process.execPath, program, '{}'])
        .done;

      expect(saidBy(said)).toEqual(fourLines(WHAT, 'sudo prlimit --pid $$ --nofile=1024'));
    },
    LIMIT_MS,
  );
});

describe('a disk under the sluice home', () => {
  mountTest.each([
    ['without inodes', 'useUpInodes', 'the disk has no inodes left', /^df -i /],
    ['without room', 'fill', 'the disk is full', /^df -h /],
    ['that is read-only', 'makeReadOnly', 'read-only', /^findmnt -T /],
  ] as const)(
    '%s is named, with what mends it, by the commands that write there',
    async (_what, spend, what, mend) => {
      mkdirSync(world.home, { recursive: true });
      const disk = smallDisk(world.home, { size: '1m' });
      try {
        if (spend === 'fill') disk.fillBut(0);
        else disk[spend]();
        const repository = world.repository(`r-${spend}`);
        const said = [
          await limited('-n 1000', 'up'),
          await world.sluice(['init'], { cwd: repository.path, env }),
          await world.sluice(['run', 'add a line', '--agent', 'command', '--', 'true'], { cwd: repository.path, env }),
        ];

        for (const { code, stderr } of said) {
          expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(what) });
          expect(stderr).not.toMatch(/defect|\n\s+at |node:internal/);
          expect(stderr.trimEnd().split('\n').at(-1)?.trim()).toMatch(mend);
        }
      } finally {
        disk.unmount();
      }
    },
    LIMIT_MS,
  );
});

/** What the agent of a turn says is followed while it says it, and a turn that is quick leaves nothing of it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

const SPOKEN = 'I read the parser\nand then mend it, with [redacted:github-token]\nadded a line\n';

const LIMIT_MS = 300_000;

let world: CliWorld;
let repository: CliRepository;
let go: string;

const sluice = (...args: readonly string[]) => world.sluice(args, { cwd: repository.path });

const turnsOf = (run: string) => join(repository.path, '.sluice/runs', run, 'turns');

/** Waits in `executing` for a file. */
async function startSpeaking(run: string): Promise<void> {
  const wait = `while [ ! -e '${go}' ]; do sleep 0.05; done`;
  const speak = `printf 'I read the parser\\nand then'; ${wait}; echo ' mend it, with ghp_${'a'.repeat(36)}'`;
  const agent = world.script('speaking-agent', `[ "$SLUICE_STAGE" = executing ] && { ${speak}; }; ${GOOD_AGENT}`);
  const options = ['--run-id', run, '--stages', 'express', '--detach', '--agent', 'command', '--', agent];
  expect((await sluice('run', 'speak', ...options)).code).toBe(0);
  await until(() => existsSync(join(repository.path, '.sluice/runs', run, 'state.json')));
}

beforeAll(() => {
  world = openCliWorld();
  repository = world.repository();
  go = join(world.folder, 'go');
}, LIMIT_MS);
afterAll(() => world.close(), LIMIT_MS);

it(
  'sluice logs -f --turn tells it from before the turn began, and ends with the turn',
  async () => {
    await startSpeaking('speaker');
    const start = (...more: readonly string[]) =>
      world.start(['logs', 'speaker', '-f', '--turn', '2', ...more], { cwd: repository.path });
    const followers = [start(), start(), start('--json')] as const;
    const [first, again, asJson] = followers;
    await Promise.all(followers.map((logs) => logs.prints('I read the parser')));
    const early = await sluice('logs', 'speaker', '--turn', '2');
    writeFileSync(go, '');

    const ends = await Promise.all([first.done, again.done]);
    expect(ends.map((end) => [end.code, end.stdout])).toEqual([
      [0, SPOKEN],
      [0, SPOKEN],
    ]);
    expect(early.stdout).toBe('I read the parser\nand\n');
    const objects = jsonLines((await asJson.done).stdout);
    const texts = objects.filter(({ kind }) => kind === 'live').map(({ text }) => text);
    expect(texts.join('')).toBe(SPOKEN);
    expect(objects.at(-1)).toMatchObject({ kind: 'turn', turn: '2-executing', output: SPOKEN });
  },
  LIMIT_MS,
);

it(
  'of a turn that has ended it is what it came to, and quick ones left no text',
  async () => {
    await until(async () => (await sluice('status', 'speaker', '--json')).stdout.includes('merge_ready'));
    const folders = readdirSync(turnsOf('speaker'));
    const live = folders.filter((name) => existsSync(join(turnsOf('speaker'), name, 'live.md')));

    expect([folders.length > 1, live]).toEqual([true, ['2-executing']]);
    expect(readFileSync(join(turnsOf('speaker'), '2-executing', 'live.md'), 'utf8')).toBe(SPOKEN);
    expect((await sluice('logs', 'speaker', '-f', '--turn', '2')).stdout).toBe(SPOKEN);
    expect((await sluice('logs', 'speaker', '-f', '--turn', '9')).stderr).toContain('has no turn 9');
  },
  LIMIT_MS,
);

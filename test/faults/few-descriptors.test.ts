/** `ulimit -n 256` for the local engine and all that it starts (server, worker, guard), and ten runs at once in one repository. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { CLI, type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { guardPid } from '../support/guard-pid.js';

const RUNS = 10;
const LIMIT_MS = 240_000;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

let world: CliWorld;
let repository: CliRepository;

beforeAll(() => {
  world = openCliWorld();
  repository = world.repository();
  appendFileSync(join(world.person, '.config/sluice/config.yaml'), `slots: ${RUNS}\n`);
});
afterAll(() => world.close(), LIMIT_MS);

describe('an engine that may open 256 files', () => {
  it(
    'does ten runs at once: each is whole, and each agent was started once',
    async () => {
      const agent = world.script('agent', GOOD_AGENT);
      const up = await world.program([
        'sh',
        '-c',
        'ulimit -n 256; exec "$@"',
        'sh',
        process.execPath,
        CLI,
        'up',
        '--json',
      ]).done;
      const run = () =>
        world.sluice(['run', 'add a line', '--json', '--agent', 'command', '--', agent], { cwd: repository.path });

      const ends = await Promise.all(Array.from({ length: RUNS }, run));
      const limited = [...world.living(), guardPid(world.home)].map(openFilesOf);
      const branches = repository.git('for-each-ref', '--format=%(refname)', 'refs/heads/sluice').trim().split('\n');
      const commits = branches.map((branch) => Number(repository.git('rev-list', '--count', `main..${branch}`)));
      const started = readFileSync(join(world.person, 'agent.txt'), 'utf8').trim().split('\n').toSorted();

      expect(up.code).toBe(0);
      expect(ends.map(({ code, stdout, stderr }) => (code === 0 ? 'merge_ready' : `${stdout}${stderr}`))).toEqual(
        Array(RUNS).fill('merge_ready'),
      );
      expect(limited.length).toBeGreaterThan(3);
      expect(new Set(limited)).toEqual(new Set(['256']));
      expect(commits).toEqual(Array(RUNS).fill(1));
      expect(started).toEqual(STAGES.flatMap((stage) => Array<string>(RUNS).fill(stage)).toSorted());
      expect(jsonLines(up.stdout)).toHaveLength(1);
    },
    LIMIT_MS,
  );
});

/** The soft limit. */
function openFilesOf(pid: number): string {
  return /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? '';
}

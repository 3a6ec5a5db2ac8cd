/**
 * A machine that sleeps in mid-turn: SIGSTOP of everything (engine, server, worker, guard, agent, the watching command line), for longer than the
 * heartbeat timeout and `limits.orphanGrace`, then SIGCONT, oldest or youngest first. Unlike in a real sleep every clock goes on meanwhile, which is
 * the harder case. One second stands for a minute of grace.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readEvents } from '../../activities/journal/events-file.js';
import { codeOf } from '../../config/system/error-code.js';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, openCliWorld } from '../support/cli-world.js';
import { guardPid } from '../support/guard-pid.js';
import { UNDISTURBED } from '../support/undisturbed.js';
import { until } from '../support/until.js';

const ASLEEP_MS = 4_000;
const LIMIT_MS = 180_000;
const LIMITS = 'limits: { orphanGrace: 1s, heartbeat: 2s }\n';
const HELD = `${GOOD_AGENT}\nif [ "$SLUICE_STAGE" = executing ]; then touch "$HOME/at-work"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; fi`;

let world: CliWorld;
let repository: CliRepository;

beforeAll(() => {
  world = openCliWorld();
  appendFileSync(join(world.person, '.config/sluice/config.yaml'), LIMITS);
});
afterAll(() => world.close(), LIMIT_MS);
beforeEach(() => {
  for (const name of ['go', 'at-work', 'agent.txt']) rmSync(join(world.person, name), { force: true });
});

describe('a machine that sleeps in mid-turn', () => {
  it.each(['oldest', 'youngest'])(
    'and wakes the %s process first: each agent was started once, and nothing is doubled',
    async (first) => {
      repository = world.repository(first);
      const run = world.start(['run', 'add a line', '--agent', 'command', '--', world.script('agent', HELD)], {
        cwd: repository.path,
      });
      await until(() => existsSync(join(world.person, 'at-work')));
      const all = [...new Set([...world.living(), guardPid(world.home)])].toSorted((a, b) => a - b);

      for (const pid of all) tell(pid, 'SIGSTOP');
      writeFileSync(join(world.person, 'go'), '');
      await sleep(ASLEEP_MS);
      for (const pid of first === 'oldest' ? all : all.toReversed()) tell(pid, 'SIGCONT');
      const { code, stdout, stderr } = await run.done;
      const [runId = ''] = repository.traces().runs;
      const journal = await readEvents(join(repository.path, '.sluice/runs', runId, 'events.jsonl'));

      // Engine, server, worker, guard, command line, and the agent with its shell.
      expect(all.length).toBeGreaterThanOrEqual(7);
      expect({ code, said: `${stdout}${stderr}` }).toMatchObject({ code: 0 });
      expect(agents()).toEqual(['planning', 'architecting', 'executing', 'reviewing', 'verifying']);
      expect(repository.git('rev-list', '--count', `main..sluice/${runId}`).trim()).toBe('1');
      // No checks are configured here.
      expect(journal.map(({ type }) => type)).toEqual(
        UNDISTURBED.journal.filter((type) => type !== 'validation.command.completed'),
      );
    },
    LIMIT_MS,
  );
});

/** The agent's own short commands come and go. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

function agents(): readonly string[] {
  return readFileSync(join(world.person, 'agent.txt'), 'utf8').trim().split('\n');
}

/** The clock of worker and guard jumps by an hour, both ways, while a run is on its way. Only theirs, by libfaketime: server and agents keep the real one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect } from '@jest/globals';
import { fakeClock, HAS_FAKE_CLOCK, NO_FAKE_CLOCK } from '../support/fake-clock.js';
import { guardPid } from '../support/guard-pid.js';
import { itWhere } from '../support/it-where.js';
import { openedForEach } from '../support/opened.js';
import { startsOf, tracesOf } from '../support/run-traces.js';
import { openTestHost } from '../support/test-host.js';
import { fixtureWith, PLAIN_FIXTURE, PLAIN_VALIDATION } from '../support/test-repository.js';
import { UNDISTURBED } from '../support/undisturbed.js';
import { until } from '../support/until.js';

const GUARD_MAIN = fileURLToPath(new URL('../../dist/activities/process/guard/main.js', import.meta.url));
const HOUR_S = 3600;
const LIMIT_MS = 120_000;

/** The first one is held. */
const SET_UP = ['touch "$HOME/sets-up"; while [ ! -e "$HOME/set-up" ]; do sleep 0.05; done', 'true'];

/** Far below an hour: a jump that counted as time gone by would end the run. */
const LIMITS = `limits: { turn: 10m }\nbudget: { run: { minutes: 20 } }\nworktree: { setupTimeout: 10m, setup: ${JSON.stringify(SET_UP)} }\n`;

const FIXTURE = fixtureWith({
  planning: { ...PLAIN_FIXTURE.stages.planning, waitFor: 'plan' },
  executing: { ...PLAIN_FIXTURE.stages.executing, waitFor: 'execute' },
});

const host = openedForEach(openTestHost);

describe('a clock of worker and guard that jumps in mid-command', () => {
  itWhere(HAS_FAKE_CLOCK, NO_FAKE_CLOCK)(
    'an hour ahead, two hours back and two ahead: no limit is reached, no budget used up, and the run ends as if nothing had happened',
    async () => {
      const clock = fakeClock(join(host.folder, 'clock'));
      const guard = await startGuard(clock.env);
      const repository = await host.repository({ fixture: FIXTURE, config: `${LIMITS}${PLAIN_VALIDATION}` });
      await host.startWorker({ env: clock.env });
      const run = await host.startRun(repository);
      const person = host.env['HOME'] ?? '';
      await until(() => existsSync(join(person, 'sets-up')));
      clock.set(HOUR_S);
      writeFileSync(join(person, 'set-up'), '');
      await until(() => startsOf(repository, 'planning') === 1);
      clock.set(-HOUR_S);
      repository.release('plan');
      await until(() => startsOf(repository, 'executing') === 1);
      clock.set(HOUR_S);
      repository.release('execute');

      const traces = await tracesOf({ run, repository, home: host.home });
      const times = run.events().map(({ timestamp }) => Date.parse(timestamp));
      const { agentMs } = JSON.parse(run.read('metrics.json')) as { agentMs: number };

      expect(traces).toEqual({ ...UNDISTURBED, journal: withSetUp(UNDISTURBED.journal) });
      expect(guardPid(host.home)).toBe(guard.pid);
      // The clock did jump: the journal shows it.
      expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(HOUR_S * 1000);
      expect(agentMs).toBeLessThan((HOUR_S * 1000) / 2);
    },
    LIMIT_MS,
  );

  itWhere(HAS_FAKE_CLOCK, NO_FAKE_CLOCK).each([
    ['ahead', HOUR_S],
    ['back', -HOUR_S],
  ])(
    'an hour %s between the death of the worker and the next one, in mid-turn: that one waits for the agent at work, which is started once',
    async (_way, jump) => {
      const clock = fakeClock(join(host.folder, 'clock'));
      const guard = await startGuard(clock.env);
      const config = `limits: { turn: 10m, heartbeat: 2s }\nbudget: { run: { minutes: 20 } }\n${PLAIN_VALIDATION}`;
      const repository = await host.repository({ fixture: FIXTURE, config });
      const worker = await host.startWorker({ env: clock.env });
      const run = await host.startRun(repository);
      repository.release('plan');
      await until(() => startsOf(repository, 'executing') === 1);
      await worker.kill();
      clock.set(jump);
      await host.startWorker({ env: clock.env });
      repository.release('execute');

      const traces = await tracesOf({ run, repository, home: host.home });
      const [first = 0, ...later] = run.events().map(({ timestamp }) => Date.parse(timestamp));
      const { agentMs } = JSON.parse(run.read('metrics.json')) as { agentMs: number };

      expect(traces).toEqual(UNDISTURBED);
      expect(guardPid(host.home)).toBe(guard.pid);
      // The clock did jump: the journal shows it.
      expect(Math.max(...later.map((time) => Math.abs(time - first)))).toBeGreaterThan((HOUR_S * 1000) / 2);
      expect(agentMs).toBeLessThan((HOUR_S * 1000) / 2);
    },
    LIMIT_MS,
  );
});

/** The home's guard; the worker finds it. */
async function startGuard(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const options = { home: host.home, orphanGraceMs: 60_000, durability: 'process', idleGraceMs: 30_000 };
  const child = spawn(process.execPath, [GUARD_MAIN, JSON.stringify(options)], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

function withSetUp([created = '', made = '', ...rest]: readonly string[]): readonly string[] {
  return [created, made, ...SET_UP.map(() => 'worktree.setup.completed'), ...rest];
}

/** The black-box twin of the failpoints: the worker is killed at random moments, which no list of ours chose. The times stand beside the traces, so that a red run shows them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { startsOf, tracesOf } from '../support/run-traces.js';
import { openTestHost, type TestRun } from '../support/test-host.js';
import { fixtureWith, PLAIN_FIXTURE, type RepositoryOptions } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 180_000;
const KILLS = 5;
/** Longer than the heartbeat timeout, after which the next attempt is at work. */
const MAX_LIFE_MS = 4000;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'] as const;

/** Agents that take long enough to be met at work. */
function slowRun(): RepositoryOptions {
  const slow = STAGES.map((stage) => [stage, { ...PLAIN_FIXTURE.stages[stage], delayMs: 400 }]);
  return {
    fixture: fixtureWith(Object.fromEntries(slow)),
    config: 'limits:\n  heartbeat: 2s\nvalidation:\n  commands: ["sleep 0.4", "grep -q changed a.txt"]\n',
  };
}

describe('a worker that is killed at random moments', () => {
  it(
    'costs nothing but time: each agent was started once, one commit, a whole journal',
    async () => {
      const host = await openTestHost();
      const lives = Array.from({ length: KILLS }, () => Math.round(Math.random() * MAX_LIFE_MS));
      try {
        const repository = await host.repository(slowRun());
        let worker = await host.startWorker();
        const run = await host.startRun(repository);
        await until(() => startsOf(repository, 'planning') > 0);

        for (const life of lives) {
          await Promise.race([sleep(life), run.result()]);
          if (await isClosed(run)) break;
          await worker.kill();
          worker = await host.startWorker();
        }
        const traces = await tracesOf({ run, repository, home: host.home });

        expect({ lives, ...traces }).toMatchObject({
          lives,
          outcome: 'merge_ready',
          error: null,
          agents: STAGES.flatMap((stage) => [`${stage} START`, `${stage} END`]),
          commits: 1,
          change: expect.stringMatching(/^\+changed$/m),
          journal: expect.arrayContaining(['run.completed']),
          living: [],
        });
        expect(traces.change.match(/^\+changed$/gm)).toHaveLength(1);
      } finally {
        await host.close();
      }
    },
    LIMIT_MS,
  );
});

async function isClosed(run: TestRun): Promise<boolean> {
  return (await run.handle.describe()).status.name !== 'RUNNING';
}

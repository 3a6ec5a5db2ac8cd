/** A base whose checks are red by themselves: who waits for it uses nothing up, and whoever cures it lands first. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QUEUED_RUNS } from '../support/queued-repository.js';
import { closedRun, enqueueAll } from '../support/queued-runs.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;

describe('a red base', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  it(
    'is cured by the second in its queue, behind which the first lands: no commit after the cure is red',
    async () => {
      const repository = await host.repository(QUEUED_RUNS);
      const first = await closedRun(host, repository);
      for (const name of ['one', 'two']) writeFileSync(join(repository.path, name), '');
      repository.git('add', '-A');
      repository.git('commit', '-q', '-m', 'red together');
      const red = repository.git('rev-parse', 'main').trim();
      const cure = await closedRun(host, repository, { task: 'cure it\ndo: rm one' });
      repository.git('checkout', '-q', '--detach');
      const queue = await enqueueAll(host, [first, cure]);

      expect((await queue.ended()).results).toMatchObject([
        { runId: cure, state: 'merged' },
        { runId: first, state: 'merged' },
      ]);
      const landed = repository.git('rev-list', '--first-parent', '--reverse', `${red}..main`).trim().split('\n');
      expect(landed).toHaveLength(2);
      for (const commit of landed) {
        const files = repository.git('ls-tree', '--name-only', commit).split('\n');
        expect({ one: files.includes('one'), two: files.includes('two') }).toEqual({ one: false, two: true });
      }
    },
    LIMIT_MS,
  );
});

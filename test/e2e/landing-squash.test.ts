/** Heads that land as one commit each: what the base has is no commit of theirs, and is known as theirs all the same. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sluiceBeside } from '../support/host-cli.js';
import { land, landingOf, REPAIRED, settledLanding } from '../support/landed-runs.js';
import { closedRun } from '../support/queued-runs.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;

describe('landing by squash', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  it(
    'makes one commit of each head, lands none twice, and lets its run be cleaned',
    async () => {
      const repository = await host.repository(REPAIRED('landing: { method: squash }\n'));
      const runs = [];
      for (const task of ['echo mine >> a.txt', 'echo yours > other.txt'])
        runs.push(await closedRun(host, repository, { task: `change\ndo: ${task}` }));
      repository.git('checkout', '-q', '--detach');
      const landed: (string | null)[] = [];
      for (const run of runs) {
        await (await land(host, run)).result();
        landed.push((await landingOf(host, run)).commit);
      }
      const again = runs[1] ?? '';
      await land(host, again);

      expect(await settledLanding(host, again)).toMatchObject({ merge: 'merged', commit: landed[1] });
      expect(repository.git('rev-list', '--min-parents=2', '--count', 'main').trim()).toBe('0');
      expect(repository.git('log', '-1', '--format=%H', 'main').trim()).toBe(landed[1]);
      expect(repository.git('show', 'main:a.txt', 'main:other.txt')).toBe('base\nmine\nyours\n');
      const { code } = await sluiceBeside(host, ['clean', again, '--yes'], { cwd: repository.path });
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );
});

/** What is noted of a repository before a turn, and an agent without a sandbox that takes the note away so that nothing it changed is seen. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endedRun } from '../support/ended-run.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;

describe('a turn', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  it.each([
    ['was removed', '-delete'],
    ['is of another shape', `-exec sh -c 'sed -i s/hooks/hooked/ "$1"' sh {} ";"`],
  ])(
    'whose note of the repository %s waits for a person, as where the repository itself changed',
    async (_what, does) => {
      const run = `git config core.fsmonitor ./spy; find ${host.home} -name before.json ${does}`;
      const { result } = await endedRun(host, {
        config: 'stageList: [executing, validating, reviewing, fixing, verifying]\n',
        stages: { executing: { append: { 'a.txt': 'changed\n' }, text: 'Wrote.', run } },
        input: { attended: false },
      });

      expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'repository_changed' });
    },
    LIMIT_MS,
  );
});

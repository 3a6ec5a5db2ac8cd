/** Two attempts of one turn at once, as when a worker could not heartbeat in time: whoever comes second finds what was planned, and takes it for nobody else's. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { git, openRun, removeFolders, reopen, write } from './repository-fixture.js';

const ROUNDS = 4;
const ATTEMPTS = 4;
const CLAIMED_AT = '2026-11-21T10:00:03.120Z';

afterEach(removeFolders);

describe('attempts of one turn at once', () => {
  it('publish one commit: to none of them does it look like one of somebody else', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const run = await openRun();
      write(run.worktree, 'a.txt', 'a\n');
      const planned = await run.run.plan({
        expectedHead: run.base,
        claimedAt: CLAIMED_AT,
        subject: 'executing: change it',
        body: '',
      });
      if (planned === null) throw new Error('nothing was planned');
      const attempts = await Promise.all(Array.from({ length: ATTEMPTS }, () => reopen(run)));

      const published = await Promise.allSettled(attempts.map((attempt) => attempt.publish(planned)));

      // One that met the other's lock is an error, and so taken again.
      const kinds = published.flatMap((one) => (one.status === 'fulfilled' ? [one.value.kind] : []));
      expect(kinds).toContain('published');
      expect(kinds).not.toContain('moved');
      expect(git(run.root, 'rev-parse', 'sluice/project-1').trim()).toBe(planned.commit);
    }
  }, 300_000);
});

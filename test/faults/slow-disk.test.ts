/**
 * A slow disk: in the worker every write takes 20 ms longer, and the writing of chosen marks so long that the server takes the worker for dead
 * (`--import` of slow-disk.mjs; the guard and git are not slowed down). The agent was started once all the same, and every mark and line is there once.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { openedOnce } from '../support/opened.js';
import { tracesOf } from '../support/run-traces.js';
import { openTestHost } from '../support/test-host.js';
import { PLAIN_VALIDATION } from '../support/test-repository.js';
import { UNDISTURBED } from '../support/undisturbed.js';

const SLOW_DISK = fileURLToPath(new URL('./slow-disk.mjs', import.meta.url));
const LIMIT_MS = 120_000;
const HEARTBEAT = 'limits:\n  heartbeat: 1s\n';
/** Longer than the heartbeat timeout. */
const STALL_MS = '2500';
/** A mark of a turn, and a file of the projection. */
const STALLED = ['outcome.json', 'state.json'];

const host = openedOnce(openTestHost);

describe('a disk that is slow, and stands still for longer than the heartbeat timeout', () => {
  it(
    'costs nothing but time: each agent was started once, and the run ends as if nothing had happened',
    async () => {
      const env = {
        NODE_OPTIONS: `--import=${SLOW_DISK}`,
        SLOW_DISK_STALL: STALLED.join(),
        SLOW_DISK_STALL_MS: STALL_MS,
      };
      const repository = await host.repository({ config: `${HEARTBEAT}${PLAIN_VALIDATION}` });
      await host.startWorker({ env });

      const run = await host.startRun(repository);
      const traces = await tracesOf({ run, repository, home: host.home });
      const history = (await run.handle.fetchHistory()).events ?? [];
      const attempts = history.map(({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? 0);

      expect(traces).toEqual(UNDISTURBED);
      // The server did take the worker for dead.
      expect(Math.max(...attempts)).toBeGreaterThan(1);
    },
    LIMIT_MS,
  );
});

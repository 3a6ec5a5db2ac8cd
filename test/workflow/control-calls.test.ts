/** What a workflow asks of the server that does not answer at first: it is asked again, and nothing is begun twice. */
import { describe, expect, it } from '@jest/globals';
import { limitedRuns, limitedUntil } from '../support/limited-runs.js';
import { openedOnce } from '../support/opened.js';
import { openStubWorkers } from '../support/stub-host.js';

const LIMIT_MS = 300_000;

describe('a call of the server that fails', () => {
  let failures = 0;
  const workers = openedOnce(() =>
    openStubWorkers({
      failpoint: (name) => {
        if (name === 'control.before-start' && failures-- > 0) throw new Error('the server does not answer');
      },
    }),
  );

  it(
    'is made again until it is answered, and is told once',
    async () => {
      failures = 2;
      let turns = 0;
      const runs = limitedRuns(workers, () => (++turns === 1 ? limitedUntil(1_000) : {}), { name: 'failing' });
      const run = await runs.start('a');

      expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(failures).toBe(-1);
      const { events = [] } = await run.fetchHistory();
      const scheduled = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
      expect(scheduled?.filter((name) => name === 'parkAtQuotaGate')).toHaveLength(1);
      expect(await runs.gate().result()).toMatchObject({ state: 'open', waiting: 0 });
      expect(runs.calls).toHaveLength(2);
    },
    LIMIT_MS,
  );
});

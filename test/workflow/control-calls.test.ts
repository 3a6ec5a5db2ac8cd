/** What a workflow asks of the server that does not answer at first: it is asked again, and nothing is begun twice. */
import { describe, expect, it } from '@jest/globals';
import { landingId } from '../../protocol/names.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { limitedRuns, limitedUntil } from '../support/limited-runs.js';
import { openedOnce } from '../support/opened.js';
import { openStubWorkers, stubOpen } from '../support/stub-host.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;
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
      const runs = limitedRuns(workers, () => (++turns === 1 ? limitedUntil(HOUR_MS) : {}), { name: 'failing' });
      const run = await runs.start('a');
      await runs.untilGate((view) => view?.waiting === 1);
      await runs.gate().signal('open');

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

describe('a landing that a run begins', () => {
  const workers = openedOnce(openStubWorkers);

  it(
    'is shown from its start, by no event of its own',
    async () => {
      const host = workers.open({ openRun: async (input) => stubOpen(input, STAGE_LISTS.full, { landing: 'auto' }) });
      const run = await host.start({ task: 'change a.txt', repo: '/r' });
      await run.result();
      const landing = host.client.workflow.getHandle(landingId(run.workflowId));
      await until(async () => (await landing.describe().catch(() => null)) !== null);
      await landing.result();

      const { events } = await landing.fetchHistory();
      const [started, ...rest] = events ?? [];
      const { fields } = started?.workflowExecutionStartedEventAttributes?.memo ?? {};
      expect(Object.keys(fields ?? {}).toSorted()).toEqual(['merge', 'paused', 'rules', 'runId', 'why']);
      const first = rest.find((event) => event.workflowPropertiesModifiedEventAttributes);
      expect(Object.keys(first?.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields ?? {})).toContain(
        'entry',
      );
    },
    LIMIT_MS,
  );
});

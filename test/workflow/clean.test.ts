import { afterEach, describe, expect, it } from '@jest/globals';
import type { CleanRunInput } from '../../protocol/actors/clean.js';
import { CLEAN_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';
import { openStubHost, type StubHost } from '../support/stub-host.js';
import { until } from '../support/until.js';

describe('the workflow clean', () => {
  let host: StubHost;

  afterEach(() => host.close());

  it('asks the host of the run once and answers what it removed', async () => {
    const asked: CleanRunInput[] = [];
    host = await openStubHost({
      cleanRun: async (input) => {
        asked.push(input);
        return { kind: 'cleaned', removed: ['/worktree', 'sluice/run-1'] };
      },
    });
    const input: CleanRunInput = {
      hostId: 'stub',
      run: { runId: 'run-1', repoKey: '0123456789abcdef' },
      giveUp: false,
    };

    const result = await host.client.workflow.execute(CLEAN_WORKFLOW, {
      workflowId: 'clean:run-1',
      taskQueue: TASK_QUEUE,
      args: [input],
    });

    expect(result).toEqual({ kind: 'cleaned', removed: ['/worktree', 'sluice/run-1'] });
    expect(asked).toEqual([input]);
  });

  it('waits a minute for a host that is away, for a person waits too', async () => {
    host = await openStubHost();
    const run = { runId: 'run-1', repoKey: '0123456789abcdef' };
    const args: [CleanRunInput] = [{ hostId: 'away', run, giveUp: false }];

    const handle = await host.client.workflow.start(CLEAN_WORKFLOW, {
      workflowId: 'clean:away',
      taskQueue: TASK_QUEUE,
      args,
    });

    const scheduledFor = async () => {
      const { events } = await handle.fetchHistory();
      return events?.find((event) => event.activityTaskScheduledEventAttributes)?.activityTaskScheduledEventAttributes
        ?.scheduleToStartTimeout;
    };
    // What comes of it is in the kept history `clean-away`.
    await until(async () => Number((await scheduledFor())?.seconds) === 60);
    await handle.terminate();
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import type { CleanRunInput } from '../../protocol/clean.js';
import { CLEAN_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';
import { openStubHost, type StubHost } from '../support/stub-host.js';

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
    const input: CleanRunInput = { hostId: 'stub', run: { runId: 'run-1', repoKey: '0123456789abcdef' }, giveUp: false };

    const result = await host.client.workflow.execute(CLEAN_WORKFLOW, { workflowId: 'clean:run-1', taskQueue: TASK_QUEUE, args: [input] });

    expect(result).toEqual({ kind: 'cleaned', removed: ['/worktree', 'sluice/run-1'] });
    expect(asked).toEqual([input]);
  });
});

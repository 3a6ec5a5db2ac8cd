/** What a landing hears of its run, which tells it a moment before it closes. */
import { describe, expect, it } from '@jest/globals';
import type { WorkflowClient } from '@temporalio/client';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { RUN_WORKFLOW } from '../../../protocol/names.js';
import { createControlActivities } from '../../../worker/control-activities.js';

/** A server on which the run is open for so many looks. */
function runOpenFor(looks: number) {
  let left = looks;
  const result = { outcome: 'merge_ready', verdict: 'verified', source: null };
  const handle = {
    async describe() {
      left -= 1;
      return {
        status: { name: left < 0 ? 'COMPLETED' : 'RUNNING' },
        type: RUN_WORKFLOW,
        memo: { owner: 'item:shop/1', branch: 'sluice/shop-1', wait: null },
      };
    },
    result: async () => result,
  };
  const server = { getHandle: () => handle } as unknown as WorkflowClient;
  return createControlActivities(server, noFailpoint).readRunToLand('shop-1');
}

describe('the run of a landing', () => {
  it('is waited for while it closes', async () => {
    expect(await runOpenFor(3)).toMatchObject({
      kind: 'answer',
      outcome: 'merge_ready',
      verdict: 'verified',
      source: null,
      owner: 'item:shop/1',
    });
  });

  it('is open where it does not close', async () => {
    expect(await runOpenFor(Number.POSITIVE_INFINITY)).toEqual({
      kind: 'open',
      owner: 'item:shop/1',
      branch: 'sluice/shop-1',
      wait: null,
    });
  });
});

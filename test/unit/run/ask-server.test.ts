import { describe, expect, it } from '@jest/globals';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { askServer } from '../../../worker/ask-server.js';

/** A server that knows one workflow, `landing:run-1`, whose older execution is closed; `closed` notes of whom the host was told. */
function aServer(newest: 'RUNNING' | 'COMPLETED') {
  const closed: string[] = [];
  const getHandle = (workflowId: string, execution: string | undefined) => ({
    describe: async () => {
      if (workflowId !== 'landing:run-1') throw new WorkflowNotFoundError('not found', workflowId, execution);
      return { status: { name: execution === undefined ? newest : 'TERMINATED' } };
    },
  });
  const client = { workflow: { getHandle } } as unknown as Client; // The one call that is made.
  return { closed, ...askServer(client, { closed: (id) => closed.push(id), failpoint: noFailpoint }) };
}

describe('whether a workflow is open', () => {
  it('is asked of one execution, or of the newest', async () => {
    const { isOpen } = aServer('RUNNING');

    expect(await isOpen('landing:run-1', 'older')).toBe(false);
    expect(await isOpen('landing:run-1', null)).toBe(true);
    expect(await isOpen('landing:run-2', null)).toBe(false);
  });

  it('tells of a closed execution that an activity outlived, and of no other', async () => {
    const { isOpen, closed } = aServer('COMPLETED');

    expect(await isOpen('landing:run-1', null)).toBe(false);
    expect(closed).toEqual([]);
    await isOpen('landing:run-1', 'older');
    expect(closed).toEqual(['landing:run-1']);
  });
});

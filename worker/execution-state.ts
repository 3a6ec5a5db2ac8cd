/** What the server says of a workflow execution; asked by hosts that must decide whether a process still belongs to anybody. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Failpoint } from '../protocol/failpoints.js';

/** `closed`: told of an execution that an activity outlived; nothing of the run itself will write its end. */
export function createIsOpen(
  client: Client,
  { closed, failpoint }: { closed: (workflowId: string) => void; failpoint: Failpoint },
): (workflowId: string, executionRunId: string) => Promise<boolean> {
  return async (workflowId, executionRunId) => {
    try {
      failpoint('server.before-describe');
      const { status } = await client.workflow.getHandle(workflowId, executionRunId).describe();
      failpoint('server.after-describe');
      if (status.name === 'RUNNING') return true;
      closed(workflowId);
      return false;
    } catch (err) {
      if (err instanceof WorkflowNotFoundError) return false;
      throw err;
    }
  };
}

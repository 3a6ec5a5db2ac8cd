/** What the server says of a workflow execution; asked by hosts that must decide whether a process still belongs to anybody. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';

export function createIsOpen(client: Client): (workflowId: string, executionRunId: string) => Promise<boolean> {
  return async (workflowId, executionRunId) => {
    try {
      const { status } = await client.workflow.getHandle(workflowId, executionRunId).describe();
      return status.name === 'RUNNING';
    } catch (err) {
      if (err instanceof WorkflowNotFoundError) return false;
      throw err;
    }
  };
}

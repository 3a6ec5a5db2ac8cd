/** What the facade can do for `sluice clean`: ask a run's host, wherever it is, to remove what the run left there. */
import type { Client } from '@temporalio/client';
import type { CleanRunInput, CleanRunResult } from '../protocol/clean.js';
import { CLEAN_WORKFLOW, TASK_QUEUE } from '../protocol/names.js';

export interface CleanCalls {
  /** Waits until the host answered, or `stop`. Two that ask at once get one answer. Errors: WorkflowFailedError. */
  cleanRun(input: CleanRunInput, stop: AbortSignal): Promise<CleanRunResult>;
}

/** `within` gives a call its deadline. */
export function cleanCalls(client: Client, within: <T>(call: () => Promise<T>) => Promise<T>): CleanCalls {
  return {
    async cleanRun(input, stop) {
      const handle = await within(() =>
        client.workflow.start(CLEAN_WORKFLOW, {
          ...{ workflowId: `clean:${input.run.runId}`, taskQueue: TASK_QUEUE, args: [input] },
          ...{ workflowIdReusePolicy: 'ALLOW_DUPLICATE', workflowIdConflictPolicy: 'USE_EXISTING' },
          staticSummary: `clean ${input.run.runId}`,
        }),
      );
      const answer: unknown = await client.withAbortSignal(stop, () => handle.result());
      return answer as CleanRunResult; // The workflow type `clean` answers this.
    },
  };
}

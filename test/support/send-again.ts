/**
 * Sends an Update of a test again for as long as copies of a run keep it out, each of which does so once (decision 37). Sluice's own commands do so; a client of
 * Temporal's does not.
 */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { UNPROCESSED_UPDATE } from '../../protocol/names.js';

/** Of the clients of hosts that have a worker. */
export const SEND_AGAIN: WorkflowClientInterceptor = {
  async startUpdate(input, next) {
    for (;;) {
      const output = await next(input);
      if (output.outcome?.failure?.applicationFailureInfo?.type !== UNPROCESSED_UPDATE) return output;
    }
  },
};

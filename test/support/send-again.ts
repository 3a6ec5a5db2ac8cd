/**
 * Sends an Update of a test again for as long as copies of a run keep it out, each of which does so once (decision 37), or a task of the run fails and is tried anew, as where a
 * machine is busy. Sluice's own commands do as much; a client of Temporal's does not.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError, type WorkflowClientInterceptor } from '@temporalio/client';
import { UNPROCESSED_UPDATE } from '../../protocol/names.js';

const FAILED_PRECONDITION = 9;

const PAUSE_MS = 100;

/** Of the clients of hosts that have a worker. */
export const SEND_AGAIN: WorkflowClientInterceptor = {
  async startUpdate(input, next) {
    for (;;) {
      const output = await next(input).catch(nullOfFailingTask);
      if (output === null) await sleep(PAUSE_MS);
      else if (output.outcome?.failure?.applicationFailureInfo?.type !== UNPROCESSED_UPDATE) return output;
    }
  },
};

function nullOfFailingTask(error: unknown): null {
  const cause = error instanceof ServiceError ? error.cause : null;
  if (isGrpcServiceError(cause) && Number(cause.code) === FAILED_PRECONDITION && cause.details.includes('failed state'))
    return null;
  throw error;
}

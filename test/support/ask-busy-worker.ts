/**
 * Sends a Query of a test again while the server says that nobody polls. A worker whose processors others have for twenty seconds has not polled meanwhile: it is there,
 * and answers the next one.
 */
import { isGrpcServiceError, ServiceError, type WorkflowClientInterceptor } from '@temporalio/client';

/** The server waits some thirty seconds before it says so. */
const MOST_TIMES = 4;

/** Of the clients of hosts that have a worker. */
export const ASK_BUSY_WORKER: WorkflowClientInterceptor = {
  async query(input, next) {
    for (let times = 1; ; times += 1) {
      try {
        return await next(input);
      } catch (error) {
        if (!saysThatNobodyPolls(error) || times === MOST_TIMES) throw error;
      }
    }
  },
};

function saysThatNobodyPolls(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { cause } = error;
  return isGrpcServiceError(cause) && cause.details.startsWith('no poller seen');
}

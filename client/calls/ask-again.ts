/**
 * Sends a Query again that reached a run in the moment in which its worker gave it up, to go on from history. A Query changes nothing, so it can be sent as often
 * as one likes; without this a person who looks at a busy run is told of it.
 */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { GIVEN_UP_MESSAGE } from '../../protocol/names.js';

/** It is given up once; another moment of the kind may follow under load. */
const MOST_TIMES = 5;

/** Of every client that sends Queries. */
export const ASK_AGAIN: WorkflowClientInterceptor = {
  async query(input, next) {
    for (let times = 1; ; times += 1) {
      try {
        return await next(input);
      } catch (error) {
        const isGivenUp = error instanceof Error && error.message.includes(GIVEN_UP_MESSAGE);
        if (!isGivenUp || times === MOST_TIMES) throw error;
      }
    }
  },
};

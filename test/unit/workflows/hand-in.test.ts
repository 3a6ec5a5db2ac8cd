/** What a batch hears when it hands a task in to a backlog. */
import { describe, expect, it } from '@jest/globals';
import { type WorkflowClient, WorkflowUpdateFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { FAILURES } from '../../../protocol/failures.js';
import { createControlActivities } from '../../../worker/control-activities.js';
import { whyRefused } from '../../../workflows/batch/refused-hand-in.js';

/** To a backlog that refuses it by a failure of this type. */
function handedIn(type: string) {
  const cause = ApplicationFailure.nonRetryable('not now', type);
  const server = {
    executeUpdateWithStart: () => Promise.reject(new WorkflowUpdateFailedError('Workflow Update failed', cause)),
  } as unknown as WorkflowClient;
  return createControlActivities(server, noFailpoint).handIn({ project: 'shop', create: {} });
}

describe('a task that is handed in', () => {
  it('is refused where the backlog refuses it', async () => {
    expect(await handedIn(FAILURES.MessageRefused)).toEqual({ kind: 'refused', why: 'not now' });
  });

  it.each([
    ['the backlog has no room for it yet', FAILURES.MessageBusy],
    ['no worker showed it to the backlog', 'UnprocessedUpdate'],
    ['the backlog was ended over it', 'AcceptedUpdateCompletedWorkflow'],
  ])('is handed in again where %s', async (_, type) => {
    await expect(handedIn(type)).rejects.toThrow(WorkflowUpdateFailedError);
  });

  it.each([
    [
      'is refused',
      'in words of whoever was asked',
      RetryState.NON_RETRYABLE_FAILURE,
      ApplicationFailure.nonRetryable('no such branch'),
      'no such branch',
    ],
    [
      'is not refused',
      'whose backlog failed until its time was up',
      RetryState.TIMEOUT,
      ApplicationFailure.retryable('busy'),
      null,
    ],
    [
      'is not refused',
      'whose host did not answer',
      RetryState.TIMEOUT,
      new TimeoutFailure('late', undefined, TimeoutType.SCHEDULE_TO_START),
      null,
    ],
    [
      'is not refused',
      'whose host is not there',
      RetryState.NON_RETRYABLE_FAILURE,
      new TimeoutFailure('late', undefined, TimeoutType.SCHEDULE_TO_START),
      null,
    ],
  ])('%s %s', (_is, _what, retryState, cause, why) => {
    expect(whyRefused(new ActivityFailure('failed', 'handIn', '1', retryState, undefined, cause))).toBe(why);
  });
});

/** What a batch hears when it hands a task in to a backlog. */
import { describe, expect, it } from '@jest/globals';
import { type WorkflowClient, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { FAILURES } from '../../../protocol/failures.js';
import { UNPROCESSED_UPDATE } from '../../../protocol/names.js';
import { createControlActivities } from '../../../worker/control-activities.js';

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

  it('is handed in again where no worker showed it to the backlog', async () => {
    await expect(handedIn(UNPROCESSED_UPDATE)).rejects.toThrow(WorkflowUpdateFailedError);
  });
});

import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { UNPROCESSED_UPDATE } from '../../protocol/names.js';

/** Sent again for as long as copies of the run keep it out, each of which does so once. Errors: the SDK's. */
export async function executeUpdate<T>(handle: WorkflowHandle, name: string, argument: unknown): Promise<T> {
  const send = () => handle.executeUpdate<T, [unknown]>(name, { args: [argument] });
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isUnprocessed(error)) throw error;
    }
  }
}

function isUnprocessed(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === UNPROCESSED_UPDATE;
}

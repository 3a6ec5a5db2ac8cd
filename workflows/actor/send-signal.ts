/** A Signal to another workflow. */
import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';
import type { Errand } from './actor.js';

export interface Signal extends Errand {
  /** Null: to whichever execution is open. */
  readonly executionRunId: string | null;
  readonly name: string;
  readonly argument: unknown;
}

/** Answered once the server has taken it, and then whether it could; also where the sender is being cancelled. */
export async function sendSignal({ workflowId, executionRunId, name, argument }: Signal): Promise<boolean> {
  try {
    const target = getExternalWorkflowHandle(workflowId, executionRunId ?? undefined);
    await CancellationScope.nonCancellable(() => target.signal(name, argument));
    return true;
  } catch {
    return false;
  }
}

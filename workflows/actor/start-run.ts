/** Starts a run as a child of whoever works with its answer. */
import type { ChildWorkflowHandle, ParentClosePolicy } from '@temporalio/workflow';
import { startChild } from '@temporalio/workflow';
import { WORKFLOW_TASK_TIMEOUT } from '../../protocol/limits.js';
import type { RunInput, RunResult } from '../../protocol/messages/messages.js';
import { memoOfStart, titleOf } from '../../protocol/messages/run-input.js';
import { RUN_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';

/** Errors: WorkflowExecutionAlreadyStartedError where the id is taken. */
export function startRun(
  runId: string,
  input: RunInput,
  parentClosePolicy: ParentClosePolicy,
): Promise<ChildWorkflowHandle<(input: RunInput) => Promise<RunResult>>> {
  return startChild<(input: RunInput) => Promise<RunResult>>(RUN_WORKFLOW, {
    workflowId: runId,
    taskQueue: TASK_QUEUE,
    args: [input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    parentClosePolicy,
    staticSummary: titleOf(input),
    memo: { ...memoOfStart(input) },
  });
}

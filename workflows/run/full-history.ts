/**
 * Ends a run before its server would. Servers terminate a workflow whose history is too long or too large, without a report, whatever it was doing;
 * what makes it so is messages, for every other thing that a run does is bounded. A full history ends a run at its next boundary, or at once where
 * it waits; one that is nearly at the server's end ends it in the middle of its turn too. Branch, worktree and files stay, as at any blocked end.
 */
import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import { FULL_HISTORY, type HistoryBounds, LAST_HISTORY } from '../../protocol/limits.js';
import { blocked, type Ending } from './ending.js';
import type { RunState } from './run-state.js';

/** Waits beside the run for as long as it lives. Survives: `lifecycle` alone is cancelled, the way an abort does it. */
export function guardHistory(run: RunState, lifecycle: CancellationScope): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    await condition(() => reaches(FULL_HISTORY, workflowInfo()));
    run.history = 'full';
    await condition(() => (run.opened !== null && run.waiting !== null) || reaches(LAST_HISTORY, workflowInfo()));
    if (run.isClosing || lifecycle.consideredCancelled) return;
    run.history = 'ended';
    run.isClosing = true;
    lifecycle.cancel();
  });
}

export function reaches(
  { events, bytes }: HistoryBounds,
  history: { readonly historyLength: number; readonly historySize: number },
): boolean {
  return history.historyLength >= events || history.historySize >= bytes;
}

export function fullHistory(): Ending {
  const { historyLength, historySize } = workflowInfo();
  return blocked(
    'history_full',
    `messages filled the run's history (${historyLength} events, ${historySize} bytes): it ends before the server would terminate it; a rewind goes on`,
  );
}

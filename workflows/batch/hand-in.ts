/** A task of a batch that goes into the backlog of its repository: a number, instead of a run. */
import { ActivityFailure } from '@temporalio/common';
import { CancellationScope, isCancellation, sleep, workflowInfo } from '@temporalio/workflow';
import type { Verdict } from '../../protocol/actors/backlog.js';
import { runIdOfItem } from '../../protocol/actors/item.js';
import { anyHost, controlHost, findingHost } from '../activity-options.js';
import type { Fate } from './batch-table.js';
import type { PlannedTask } from './batch-tasks.js';
import { whyRefused } from './refused-hand-in.js';

const FIRST_WAIT_MS = 15_000;
const LAST_WAIT_MS = 15 * 60_000;

/**
 * The run id that it would have is its key: the same task of the same batch is handed in once, and another firing of a schedule is another batch.
 * Whoever does not answer is away, and is asked again until somebody aborts the batch.
 */
export async function handIn(task: PlannedTask): Promise<Fate> {
  let wasSent = false;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LAST_WAIT_MS)) {
    try {
      const { project, create } = await addressOf(task);
      wasSent = true;
      // What was sent may have been taken, so its answer is waited for.
      const verdict = await CancellationScope.nonCancellable(() => controlHost().handIn({ project, create }));
      return fateOf(project, verdict);
    } catch (error) {
      if (isCancellation(error)) return notStarted(wasSent);
      if (!(error instanceof ActivityFailure)) throw error;
      const why = whyRefused(error);
      if (why !== null) return { state: 'refused', error: why };
    }
    try {
      await sleep(waitMs);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return notStarted(wasSent);
    }
  }
}

async function addressOf({ runId: key, terms, input: { repo, host, ...task } }: PlannedTask) {
  const { base = null } = task;
  const { hostId, project } = await (host === undefined ? anyHost() : findingHost(host)).findBacklog({ repo, base });
  const by = workflowInfo().workflowId;
  return { project, create: { key, repo, host: hostId, by, tasks: [{ ...task, ...terms }] } };
}

function notStarted(wasSent: boolean): Fate {
  return { state: 'not_started', error: wasSent ? 'whether it was handed in is not known' : null };
}

function fateOf(project: string, verdict: Verdict | null): Fate {
  if (verdict === null) return { state: 'handed_in', error: 'its host is away; it is taken in once that is back' };
  if (verdict.kind === 'refused') return { state: 'refused', error: verdict.why };
  if (verdict.kind === 'duplicate' || verdict.kind === 'compared')
    return { state: 'refused', error: verdict.kind === 'duplicate' ? verdict.reason : 'it was only compared' };
  const runId = runIdOfItem({ project, id: verdict.id }, 1);
  return { state: verdict.kind === 'known' ? 'skipped' : 'handed_in', runId };
}

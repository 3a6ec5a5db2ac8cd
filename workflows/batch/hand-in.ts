/** A task of a batch that goes into the backlog of its repository: a number, instead of a run. */
import { ActivityFailure } from '@temporalio/common';
import { isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Verdict } from '../../protocol/actors/backlog.js';
import { runIdOfItem } from '../../protocol/actors/item.js';
import { readRefusal } from '../../protocol/text/refusal.js';
import { anyHost, controlHost, findingHost } from '../activity-options.js';
import type { Fate } from './batch-table.js';
import type { PlannedTask } from './batch-tasks.js';

/** The run id that it would have is its key: the same task of the same batch is handed in once, and another firing of a schedule is another batch. */
export async function handIn({ runId: key, input }: PlannedTask): Promise<Fate> {
  const { repo, host, ...task } = input;
  try {
    const { base = null } = task;
    const { hostId, project } = await (host === undefined ? anyHost() : findingHost(host)).findBacklog({ repo, base });
    const create = { key, repo, host: hostId, by: workflowInfo().workflowId, tasks: [task] };
    return fateOf(project, await controlHost().handIn({ project, create }));
  } catch (error) {
    if (isCancellation(error)) return { state: 'not_started' };
    if (!(error instanceof ActivityFailure)) throw error;
    return { state: 'refused', error: readRefusal(error.cause)?.what ?? error.cause?.message ?? error.message };
  }
}

function fateOf(project: string, verdict: Verdict | null): Fate {
  if (verdict === null) return { state: 'handed_in', error: 'its host is away; it is taken in once that is back' };
  if (verdict.kind === 'refused') return { state: 'refused', error: verdict.why };
  const runId = runIdOfItem({ project, id: verdict.id }, 1);
  return { state: verdict.kind === 'known' ? 'skipped' : 'handed_in', runId };
}

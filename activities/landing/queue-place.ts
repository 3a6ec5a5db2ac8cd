/** Where a merge queue works on a host: a place and a checkout of its own, under a name that no run has, with the policy and the environment of the run whose head lands. */
import type { RunToLand } from '../../protocol/actors/landing.js';
import type { LandEntryInput } from '../../protocol/actors/merge-queue.js';
import { isForgeQueue, queueName } from '../../protocol/actors/merge-queue.js';
import type { RunRef, RunResult } from '../../protocol/messages/messages.js';
import type { PrivateGitDir } from '../git/inspect/private-git-dir.js';
import { openQueueGit } from '../git/merge/open-queue-git.js';
import type { AtPlace } from '../unit/at-place.js';
import type { HostDeps } from '../unit/host-deps.js';
import { enterQueueFolder } from '../unit/queue-folder.js';
import { badInput, runCleaned } from '../unit/run-failures.js';
import { findRunRecord, isBuried, type RunOnHost, type RunRecord, readRunToTell } from '../unit/run-record.js';
import { openWorkplace, type Workplace } from '../unit/workplace.js';

export type AtQueue = AtPlace<Workplace>;

/** `owner`: the workflow that it works for; null: it was started by itself. `open`: it has not ended, so nothing of it lands; `branch` null: it has none yet. `none`: it ended without an answer, or the server does not know it. */
export type RunAnswer =
  | Extract<RunToLand, { kind: 'open' }>
  | { readonly kind: 'none' }
  | { readonly kind: 'answer'; readonly owner: string | null; readonly result: RunResult };

export interface LandingDeps extends HostDeps {
  readonly readAnswer: (workflowId: string) => Promise<RunAnswer>;
}

/** The run says where the repository is. */
type OnQueue = Pick<LandEntryInput, 'queue' | 'owner'> & RunRef;

/** Errors: BadInput where this host has no record of the run; RunExists for a cleaned one. Asked again, they are the same. */
export function readRunOfQueue(home: HostDeps['home'], { repoKey, runId }: RunRef): RunOnHost {
  if (findRunRecord(home.stateDir(repoKey, runId)) === null)
    throw badInput('runId', `run ${runId} has no record in this repository on this host; see: sluice list`);
  const run = readRunToTell(home, { runId, repoKey });
  if (isBuried(run.record)) throw runCleaned(runId);
  return run;
}

/** Effects: the folder of the queue; nothing of it is being removed any more. Errors: as of `readRunOfQueue`; BadInput where what this run made does not land there. */
export async function findQueuePlace(
  { home, durability }: HostDeps,
  { queue, owner, runId, repoKey }: OnQueue,
): Promise<RunOnHost<Workplace>> {
  const { record, workplace: own } = readRunOfQueue(home, { runId, repoKey });
  if (queue.repoKey !== (isForgeQueue(queue) ? forgeKeyOf(record) : repoKey))
    throw badInput('queue', `the run ${runId} has another base than ${queue.branch} of ${queue.repoKey}`);
  const { repository, policy, sandbox } = record;
  const name = queueName(queue);
  const workplace = openWorkplace(home, { repoKey, name, owner, repository, policy, sandbox, env: own.env });
  await enterQueueFolder(workplace.stateDir, queue, durability);
  return { record, stateDir: workplace.stateDir, workplace };
}

/** The forge takes any case of its letters, and a base has one queue. Null: the run was opened without a forge. */
export function forgeKeyOf({ policy }: Pick<RunRecord, 'policy'>): string | null {
  return policy.forge.repo?.toLowerCase() ?? null;
}

export function queueGitOf({ workplace }: Pick<AtQueue, 'workplace'>): Promise<PrivateGitDir> {
  return openQueueGit({ repository: workplace.repository, folder: workplace.stateDir });
}

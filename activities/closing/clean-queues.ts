/**
 * Gives back what merge queues of a repository that are over keep on a host: refs, the checkout of their checks, and their folder. A queue that comes again makes all of it anew.
 * Effects: only below the sluice home and `refs/sluice/@*`. Idempotency: what names the queue goes last, so that whatever a kill leaves the next call finishes.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isForgeQueue, mergeQueueId } from '../../protocol/actors/merge-queue.js';
import { deleteRefs, listKeptRefs } from '../git/refs/run-refs.js';
import { removeFolder } from '../git/worktree/remove-worktree.js';
import type { HostDeps } from '../unit/host-deps.js';
import { aloneInQueueFolder, QUEUE_FILE, readQueueFolder } from '../unit/queue-folder.js';
import type { RunOnHost } from '../unit/run-record.js';
import { removeCheckout } from './give-back-room.js';

/** Of the repository of this run. Answers what was removed, for people. Errors: those of git and of the server. */
export async function cleanQueues(deps: HostDeps, run: RunOnHost): Promise<readonly string[]> {
  const removed: string[] = [];
  const root = dirname(run.stateDir);
  for (const name of readdirSync(root).filter((entry) => entry.startsWith('@')))
    removed.push(...(await aloneInQueueFolder(join(root, name), () => cleanQueue(deps, run, name))));
  return removed;
}

async function cleanQueue(deps: HostDeps, { record }: RunOnHost, name: string): Promise<readonly string[]> {
  const { repoKey, repository } = record;
  const { home, processes } = deps;
  const stateDir = home.stateDir(repoKey, name);
  const queue = readQueueFolder(stateDir);
  if (queue === null || (await deps.isOpen(mergeQueueId(queue), null))) return [];
  // Of a queue that was terminated in the middle of a check.
  await processes.endGroup(`${repoKey}/${name}`, 'aborted');
  // A repository that is gone has taken its refs along.
  const refs = existsSync(repository.commonDir) ? await listKeptRefs({ repository, runId: name }) : [];
  if ((await deleteRefs(repository, refs)) === 'moved') return [];
  await removeCheckout({ stateDir, checkout: home.validationWorktree(repoKey, name) });
  for (const entry of readdirSync(stateDir)) if (entry !== QUEUE_FILE) await removeFolder(join(stateDir, entry));
  await removeFolder(stateDir);
  return [`what the merge queue of ${queue.branch}${isForgeQueue(queue) ? ` of ${queue.repoKey}` : ''} left`];
}

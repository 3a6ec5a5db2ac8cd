/** The base of a queue as the forge has it, beside the repository's objects, and under a ref: nothing else names it, and a person may prune at any time; a repair begins there too. */
import { baseRefOf, type QueueRef } from '../../protocol/actors/merge-queue.js';
import { type ForgeRemote, fetchBranch } from '../git/forge/forge-git.js';
import type { PrivateGitDir } from '../git/inspect/private-git-dir.js';
import { readRef } from '../git/refs/read-ref.js';
import { moveRefs } from '../git/refs/run-branch.js';
import type { RunRecord } from '../unit/run-record.js';

/** `at` null: there is no such branch. */
export async function fetchBase(
  git: PrivateGitDir,
  remote: ForgeRemote,
  { queue, record }: { readonly queue: QueueRef; readonly record: RunRecord },
): ReturnType<typeof fetchBranch> {
  const { repository, baseSha } = record;
  const have = await readRef(repository.commonDir, baseRefOf(queue));
  const fetched = await fetchBranch(git, remote, { branch: queue.branch, have: have ?? baseSha });
  if (fetched.kind === 'fetched' && fetched.at !== null && fetched.at !== have)
    await keepBase(record, queue, fetched.at);
  return fetched;
}

export async function keepBase({ repository }: Pick<RunRecord, 'repository'>, queue: QueueRef, to: string) {
  await moveRefs(repository, [{ ref: baseRefOf(queue), to }], { identity: null });
}

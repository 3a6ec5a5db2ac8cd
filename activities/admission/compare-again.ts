/**
 * Compares a task that was taken in once more, with what people answered since. It gives possible duplicates and candidates alone: whoever answered questions about a task is not told
 * afterwards that it is refused. Effects: a line of `dedup.jsonl`. Idempotency: nothing else is kept. Source: S-49.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CompareAgainInput } from '../../protocol/actors/ask.js';
import type { TaskDedup } from '../../protocol/actors/task-dedup.js';
import { resolveBase } from '../git/refs/resolve-base.js';
import { resolveRunPolicy } from '../policy/resolve-run-policy.js';
import { servedRepository } from '../policy/served-repository.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import { inputOfItem } from '../unit/item-record.js';
import { noteComparison } from './compare-tasks.js';
import type { IndexOf } from './dedup/index/index-thread.js';

/** Errors: as of `inputOfItem`; RepositoryNotServed, BadRepository; BadConfig, NotTrusted; plain Error where the thread of the index is lost. */
export function createCompareAgain(deps: HostDeps, indexOf: IndexOf): (input: CompareAgainInput) => Promise<TaskDedup> {
  return (input) =>
    // Without a place: each attempt compares for itself.
    attend(deps, randomUUID(), () => compareAgain(deps, indexOf, input));
}

async function compareAgain(
  deps: HostDeps,
  indexOf: IndexOf,
  { item, project, rounds }: CompareAgainInput,
): Promise<TaskDedup> {
  const repository = await servedRepository(deps, item.repo);
  const { id, repoKey } = item;
  const run = inputOfItem(deps.home, {
    run: { task: '', repo: repository.root },
    item: { ...item, rounds },
    repoKey,
  });
  const { sha: baseSha } = await resolveBase(repository, run.base);
  const { policy } = await resolveRunPolicy(deps, { run, repository, baseSha });
  const dir = deps.home.itemsDir(repoKey);
  const index = indexOf({ dir, project });
  await index.ask({ kind: 'keep', highest: null, closed: [], without: [] });
  const compared = await index.ask({ kind: 'compare', text: run.task, policy: policy.dedup, again: id });
  if (compared === null) throw new Error('the index gave no answer');
  const dedup = { ...compared, forced: null };
  noteComparison(join(dir, id), { task: id, by: null, dedup });
  return dedup;
}

/** Where the first run of a task begins, and on which branch: behind what is checked and waits for its base to be free, so that tasks build on each other. Source: S-05, S-85. */
import { branchOfItem } from '../../protocol/actors/item.js';
import { tipRefOf } from '../../protocol/actors/merge-queue.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { Policy } from '../../protocol/run/policy.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import type { Base, Repository } from '../git/start/contract.js';

/** Nobody's yet. Where many have that name, one of them is refused when the branch is made. */
export async function branchOfFirst(
  { commonDir }: Repository,
  { branch: { prefix } }: Pick<Policy, 'branch'>,
  run: RunInput & { readonly item: NonNullable<RunInput['item']> },
): Promise<string> {
  const name = branchOfItem(prefix, run.item.id, titleOf(run));
  for (let n = 1; n <= MAX_NAMES; n += 1) {
    const branch = n === 1 ? name : `${name}-${n}`;
    if ((await readRef(commonDir, `refs/heads/${branch}`)) === null) return branch;
  }
  return name;
}

const MAX_NAMES = 20;

/** The last link of the chain on the base, while that holds all of the base. */
export async function startOfFirst(
  repository: Repository,
  { backlog: { from } }: Pick<Policy, 'backlog'>,
  { base, repoKey }: { readonly base: Base; readonly repoKey: string },
): Promise<string> {
  if (from === 'base') return base.sha;
  const tip = await readRef(repository.commonDir, tipRefOf({ repoKey, branch: base.branch }));
  if (tip === null || tip === base.sha) return base.sha;
  return (await readAncestry(repository, base.sha, tip)) === 'ancestor' ? tip : base.sha;
}

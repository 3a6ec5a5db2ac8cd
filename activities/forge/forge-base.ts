/**
 * The base of a forge, in the place of a local one: its commit is fetched beside the repository's objects, and where the forge has no rules for it a checked commit is pushed by the old value.
 * No branch of a person's repository is read or moved.
 */
import { join } from 'node:path';
import type { FetchBaseResult, ForgeBaseInput, PushBaseInput, PushBaseResult } from '../../protocol/actors/forge.js';
import { shortHash } from '../../protocol/text/short-hash.js';
import { fetchBranch, pushBranch } from '../git/forge/forge-git.js';
import type { PrivateGitDir } from '../git/inspect/private-git-dir.js';
import { openQueueGit } from '../git/merge/open-queue-git.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { moveRefs } from '../git/refs/run-branch.js';
import type { RunOnHost } from '../unit/run-record.js';
import { atForge, type ForgeDeps } from './at-forge.js';

/** Idempotency: asked again it answers where the branch is then. */
export function createFetchBase(deps: ForgeDeps): (input: ForgeBaseInput) => Promise<FetchBaseResult> {
  return (input) =>
    atForge<FetchBaseResult>(deps, input, async ({ run, remote }) => {
      const { repository, baseSha } = run.record;
      const fetched = await fetchBranch(await forgeGitOf(run), remote, { branch: input.branch, have: baseSha });
      // Nothing else names it, and a person may prune at any time.
      if (fetched.kind === 'fetched')
        await moveRefs(repository, [{ ref: baseRefOf(input.branch), to: fetched.at }], { identity: null });
      return fetched;
    });
}

/** Only forward. Idempotency: what stands there already is pushed. */
export function createPushBase(deps: ForgeDeps): (input: PushBaseInput) => Promise<PushBaseResult> {
  return (input) =>
    atForge<PushBaseResult>(deps, input, async ({ run, remote }) => {
      const { branch, from, to } = input;
      if ((await readAncestry(run.record.repository, from, to)) !== 'ancestor')
        return { kind: 'refused', why: `${to.slice(0, 12)} does not contain ${from.slice(0, 12)}` };
      return pushBranch(await forgeGitOf(run), remote, { branch, from, to });
    });
}

/** A git dir of this run's own. */
export function forgeGitOf({ record, stateDir }: RunOnHost): Promise<PrivateGitDir> {
  return openQueueGit({ repository: record.repository, folder: join(stateDir, 'forge') });
}

/** Beside `tip` and `next` of the queue of that branch. */
function baseRefOf(branch: string): string {
  return `refs/sluice/@${shortHash(branch)}/base`;
}

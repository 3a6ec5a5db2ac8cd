/** Where the first run of a task begins, and on which branch: behind what is checked and waits for its base to be free, so that tasks build on each other. Source: S-05, S-85. */
import { ApplicationFailure } from '@temporalio/common';
import { branchOfItem } from '../../protocol/actors/item.js';
import { FAILURES } from '../../protocol/failures.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { landingId } from '../../protocol/names.js';
import type { Policy } from '../../protocol/run/policy.js';
import { refusalFailure } from '../../protocol/text/refusal.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import type { Base, Repository } from '../git/start/contract.js';
import { findTip } from '../unit/chain-tip.js';
import type { HostDeps } from '../unit/host-deps.js';
import { readLanded } from '../unit/landed-mark.js';

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

/**
 * The last link of the chain on the base, while that holds all of the base. Errors: one to be tried again while a change that it must begin behind is being merged anew; BadInput where that
 * was given up.
 */
export async function startOfFirst(
  deps: Pick<HostDeps, 'home' | 'readQueue'>,
  repository: Repository,
  { policy, base, repoKey, behind }: FirstStart,
): Promise<string> {
  if (policy.backlog.from === 'base' && behind.length === 0) return base.sha;
  const queue = { repoKey, branch: base.branch };
  const { links, others, tip, isBehind } = await findTip(deps, { repository, queue, at: base.sha });
  for (const runId of behind) {
    const owner = landingId(runId);
    if (!isBehind && links.some((link) => link.owner === owner)) continue;
    if (await hasLanded(deps, repository, { runId, repoKey, on: base.sha })) continue;
    throw others.includes(owner) || isBehind ? notYet(runId) : givenUp(runId);
  }
  return tip;
}

interface FirstStart {
  readonly policy: Pick<Policy, 'backlog'>;
  readonly base: Base;
  readonly repoKey: string;
  /** As of `RunItem`. */
  readonly behind: readonly string[];
}

async function hasLanded(
  { home }: Pick<HostDeps, 'home'>,
  repository: Repository,
  { runId, repoKey, on }: Readonly<Record<'runId' | 'repoKey' | 'on', string>>,
): Promise<boolean> {
  const mark = readLanded(home.stateDir(repoKey, runId));
  return mark !== null && (await readAncestry(repository, mark.commit, on)) === 'ancestor';
}

/** Unit: ms. Until it is tried again. */
const AGAIN_MS = 5_000;

function notYet(runId: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: `the change of ${runId}, behind which it begins, is being merged anew`,
    nextRetryDelay: AGAIN_MS,
  });
}

function givenUp(runId: string): ApplicationFailure {
  const parts = {
    what: `The change of ${runId}, behind which this run was to begin, is not ready any more.`,
    why: 'A task begins with what it depends on.',
    now: 'Nothing was started.',
    mend: `sluice status ${runId}    once that is ready again, or done: sluice task run <task>`,
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.BadInput, parts, 'item'));
}

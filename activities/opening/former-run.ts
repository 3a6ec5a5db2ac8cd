/**
 * A later run of an item goes on where the one before it ended: on its branch, in its worktree, at the tip that the branch has by now. It is no rewind, which has a branch of its own and a
 * frozen policy: this one asks for the policy of today, and no commit is left behind. Source: S-85.
 */
import { ApplicationFailure } from '@temporalio/common';
import { branchOfItem, itemOfWorkflow, numberOfRun, runIdOfItem } from '../../protocol/actors/item.js';
import { FAILURES } from '../../protocol/failures.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { headRefOf } from '../../protocol/names.js';
import type { Policy } from '../../protocol/run/policy.js';
import { refusalFailure } from '../../protocol/text/refusal.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import { type RunGit, takeNotes } from '../git/run/open-run-git.js';
import type { Repository } from '../git/start/contract.js';
import { isOwnLeft } from '../turn/left-changes.js';
import { toldAside } from '../turn/order-worktree.js';
import type { HostDeps } from '../unit/host-deps.js';
import {
  findRunRecord,
  isBuried,
  locateRun,
  privateGitDirOf,
  type RunOnHost,
  type RunRecord,
  startOf,
} from '../unit/run-record.js';
import { resolveRunPolicy } from './resolve-run-policy.js';
import { readSource, rewoundTo } from './resume-run.js';
import { planGoingOn } from './rewind-point.js';

/** The last run of the item that was opened on this host; null: there was none, or a person cleaned it away, and the new one begins anew. */
export function findFormer(deps: HostDeps, { run, repoKey, runId }: Later): RunOnHost | null {
  const item = run.item === undefined ? null : itemOfWorkflow(run.owner ?? '');
  if (item === null) return null;
  for (let n = (numberOfRun(item, runId) ?? 1) - 1; n >= 1; n -= 1) {
    const record = findRunRecord(deps.home.stateDir(repoKey, runIdOfItem(item, n)));
    // Somebody may have started a run of that name by hand.
    if (record?.input.owner === run.owner && record !== null)
      return isBuried(record) ? null : locateRun(deps.home, record);
  }
  return null;
}

interface Later {
  readonly run: RunInput;
  readonly repoKey: string;
  readonly runId: string;
}

/** What the record of a run says of where it begins, and of what it works on. */
export type GoneOn = Pick<
  RunRecord,
  'input' | 'policy' | 'trustedConfig' | 'baseBranch' | 'baseSha' | 'rewound' | 'worktree' | 'branch' | 'takenFrom'
>;

/** Effects: none. Errors: BadInput where the former run is open, or its branch has lost its commits; those of a policy. */
export async function goOnFrom(deps: HostDeps, former: RunOnHost, run: RunInput): Promise<GoneOn> {
  const { runId, repository, baseSha, baseBranch, worktree, branch, firstExecutionRunId: owner } = former.record;
  if (await deps.isOpen(former.record.workflowId, null)) throw stillOpen(former);
  const tip = await tipOf(former);
  const resolved = await resolveRunPolicy(deps, { run, repository, baseSha });
  const point = planGoingOn(readSource(former), { tip, stages: resolved.policy.stages });
  return {
    ...{ input: run, ...resolved, baseBranch, baseSha, worktree, branch, takenFrom: { runId, owner } },
    rewound: rewoundTo(point, { sourceRunId: runId, baseSha }),
  };
}

/** Of the first run of an item: nobody's yet. Where many have that name, one of them is refused when the branch is made. */
export async function branchOfFirst(
  { commonDir }: Repository,
  { branch: { prefix } }: Policy,
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

/** Commits that a person added since stay; where the branch is gone it is made again from what the run had published. */
async function tipOf({ record }: RunOnHost): Promise<string> {
  const { repository, branch, runId } = record;
  const last = (await readRef(repository.commonDir, headRefOf(runId))) ?? startOf(record);
  const tip = await readRef(repository.commonDir, `refs/heads/${branch}`);
  if (tip === null || (await readAncestry(repository, last, tip)) === 'ancestor') return tip ?? last;
  throw refused({
    what: `${branch} stands at ${tip.slice(0, 12)}, which has not ${last.slice(0, 12)} in its history: the last commit of run ${runId}.`,
    why: 'A later run of a task goes on from all that the one before it committed.',
    mend: `Bring it back: git merge ${last.slice(0, 12)}    on ${branch}, or: git branch -f ${branch} ${last.slice(0, 12)}`,
  });
}

function stillOpen({ record: { runId } }: RunOnHost): ApplicationFailure {
  return refused({
    what: `run ${runId} of this task is still open.`,
    why: 'Two runs never work in one worktree.',
    mend: `sluice abort ${runId}`,
  });
}

function refused(parts: { readonly what: string; readonly why: string; readonly mend: string }): ApplicationFailure {
  return ApplicationFailure.create(
    refusalFailure(FAILURES.BadInput, { ...parts, now: 'Nothing was started.' }, 'item'),
  );
}

/** Ends whatever lives of the former run, and takes over what the engine noted of its worktree. Idempotent. */
export async function takeFormer(
  { home, processes, failpoint }: HostDeps,
  { record, workplace }: RunOnHost,
): Promise<void> {
  if (record.takenFrom === undefined) return;
  const { repoKey, takenFrom } = record;
  await processes.endGroup(`${repoKey}/${takenFrom.runId}`, 'aborted');
  failpoint('take-over.after-end');
  takeNotes(privateGitDirOf(home.stateDir(repoKey, takenFrom.runId)), workplace.git.gitDir);
}

/** Moves aside what lies uncommitted in a worktree that was taken over, but for what a failed turn of the former run left there. Null: nothing. */
export async function clearTaken({ home, failpoint }: HostDeps, run: RunOnHost, git: RunGit): Promise<string | null> {
  const { takenFrom, repoKey } = run.record;
  if (takenFrom === undefined || (await git.root()).kind !== 'whole') return null;
  await git.follow(startOf(run.record));
  const former = { ...run, stateDir: home.stateDir(repoKey, takenFrom.runId) };
  if (await isOwnLeft(former, await git.changes())) return null;
  const aside = await git.setAside();
  failpoint('take-over.after-aside');
  return aside === null ? null : toldAside(aside, `before run ${run.record.runId} took it over`);
}

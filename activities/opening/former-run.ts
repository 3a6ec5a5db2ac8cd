/**
 * A later run of an item goes on where the one before it ended: on its branch, in its worktree, at the tip that the branch has by now. It is no rewind, which has a branch of its own and a
 * frozen policy: this one asks for the policy of today, and no commit is left behind. Source: S-85.
 */
import { existsSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/common';
import { itemOfWorkflow, numberOfRun, runIdOfItem } from '../../protocol/actors/item.js';
import { FAILURES, type FailureType } from '../../protocol/failures.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import { headRefOf } from '../../protocol/names.js';
import { type Refusal, refusalFailure } from '../../protocol/text/refusal.js';
import { shellWord } from '../../protocol/text/shell-word.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import { type RunGit, takeNotes } from '../git/run/open-run-git.js';
import { readOwner } from '../git/worktree/owner-mark.js';
import { resolveRunPolicy } from '../policy/resolve-run-policy.js';
import { isOwnLeft } from '../turn/left-changes.js';
import { toldAside } from '../turn/order-worktree.js';
import type { HostDeps } from '../unit/host-deps.js';
import {
  findRunRecord,
  hasEnvironment,
  isBuried,
  locateRun,
  privateGitDirOf,
  type RunOnHost,
  type RunRecord,
  startOf,
} from '../unit/run-record.js';
import { readSource, rewoundTo } from './resume-run.js';
import { planGoingOn } from './rewind-point.js';

/** The last run of the item that was opened on this host; null: there was none, or a person cleaned it away, and the new one begins anew. */
export async function findFormer(deps: HostDeps, { run, repoKey, runId }: Later): Promise<RunOnHost | null> {
  const item = run.item === undefined ? null : itemOfWorkflow(run.owner ?? '');
  if (item === null) return null;
  for (let n = (numberOfRun(item, runId) ?? 1) - 1; n >= 1; n -= 1) {
    const record = findRunRecord(deps.home.stateDir(repoKey, runIdOfItem(item, n)));
    // Somebody may have started a run of that name by hand.
    if (record === null || record.input.owner !== run.owner) continue;
    if (isBuried(record)) return null;
    const former = locateRun(deps.home, record);
    // What died before it had the worktree left nothing: neither that nor a branch of its name is its own.
    if (await wasOpened(former)) return former;
  }
  return null;
}

async function wasOpened({ record, stateDir }: RunOnHost): Promise<boolean> {
  if (hasEnvironment(stateDir)) return true;
  const mark = await readOwner(record.worktree);
  return mark !== null && mark !== 'broken' && mark.owner === record.firstExecutionRunId;
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

/** Effects: none. Errors: BadInput where the former run is open; RepositoryChanged where its branch has lost its commits; those of a policy. */
export async function goOnFrom(deps: HostDeps, former: RunOnHost, run: RunInput): Promise<GoneOn> {
  const { runId, repository, baseSha, baseBranch, worktree, branch, firstExecutionRunId: owner } = former.record;
  if (await deps.isOpen(former.record.workflowId, null)) throw stillOpen(former);
  const tip = await tipOf(former);
  const resolved = await resolveRunPolicy(deps, { run, repository, baseSha });
  const point = planGoingOn(readSource(former), { tip, stages: resolved.policy.stages });
  return {
    input: run,
    ...resolved,
    baseBranch,
    baseSha,
    worktree,
    branch,
    takenFrom: { runId, owner },
    rewound: rewoundTo(point, { sourceRunId: runId, baseSha }),
  };
}

/** Commits that a person added since stay; where the branch is gone it is made again from what the run had published. */
async function tipOf({ record }: RunOnHost): Promise<string> {
  const { repository, branch, runId } = record;
  const last = (await readRef(repository.commonDir, headRefOf(runId))) ?? startOf(record);
  const tip = await readRef(repository.commonDir, `refs/heads/${branch}`);
  if (tip === null || (await readAncestry(repository, last, tip)) === 'ancestor') return tip ?? last;
  throw refused(FAILURES.RepositoryChanged, {
    what: `${branch} stands at ${tip.slice(0, 12)}, which has not ${last.slice(0, 12)} in its history: the last commit of run ${runId}.`,
    why: 'A later run of a task goes on from all that the one before it committed.',
    mend: `Bring it back: ${bringingBack(record, last.slice(0, 12))}`,
  });
}

/** Git moves no branch that is checked out, not even where its worktree is gone. */
function bringingBack({ repository, worktree, branch }: RunRecord, last: string): string {
  const at = (folder: string) => `git -C ${shellWord(folder)}`;
  if (existsSync(worktree))
    return `${at(worktree)} merge ${last}    or, without what is on it now: ${at(worktree)} reset --hard ${last}`;
  return `${at(repository.root)} worktree prune && ${at(repository.root)} branch -f ${shellWord(branch)} ${last}`;
}

function movedMeanwhile({ record: { branch, runId } }: RunOnHost, head: string): ApplicationFailure {
  return refused(FAILURES.RepositoryChanged, {
    what: `${branch} was moved to ${head.slice(0, 12)} while run ${runId} was being opened.`,
    why: "A run goes on from the commit that it was planned at, and takes nobody's commit off a branch.",
    mend: 'Once more, from there: sluice task run',
  });
}

function stillOpen({ record: { runId } }: RunOnHost): ApplicationFailure {
  return refused(FAILURES.BadInput, {
    what: `run ${runId} of this task is still open.`,
    why: 'Two runs never work in one worktree.',
    mend: `sluice abort ${runId}`,
  });
}

function refused(type: FailureType, parts: Omit<Refusal, 'now'>): ApplicationFailure {
  return ApplicationFailure.create(refusalFailure(type, { ...parts, now: 'Nothing was started.' }, 'item'));
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

/**
 * Moves aside what lies uncommitted in a worktree that was taken over, but for what a failed turn of the former run left there. Null: nothing.
 * Errors: RepositoryChanged where a person committed since the run was planned: nothing of theirs is taken off the branch, and the next run begins at it.
 */
export async function clearTaken({ home, failpoint }: HostDeps, run: RunOnHost, git: RunGit): Promise<string | null> {
  const { takenFrom, repoKey } = run.record;
  if (takenFrom === undefined) return null;
  const head = await git.head();
  if (head !== null && head !== startOf(run.record)) throw movedMeanwhile(run, head);
  if ((await git.root()).kind !== 'whole') return null;
  await git.follow(startOf(run.record));
  const former = { ...run, stateDir: home.stateDir(repoKey, takenFrom.runId) };
  if (await isOwnLeft(former, await git.changes())) return null;
  const aside = await git.setAside();
  failpoint('take-over.after-aside');
  return aside === null ? null : toldAside(aside, `before run ${run.record.runId} took it over`);
}

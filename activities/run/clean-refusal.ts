/** Why a run is not cleaned: it is not over, a person stands on its branch, or work would be lost that nobody gave up. Nothing is changed here. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { printableLine } from '../../protocol/printable.js';
import { redact } from '../../protocol/redact.js';
import { lastingTrouble } from '../git/lasting-trouble.js';
import { openRunGit } from '../git/open-run-git.js';
import { checkoutOnBranch, countLost, listRunRefs } from '../git/run-refs.js';
import { isClosedOnHost } from './closed-mark.js';
import { gitInputOf, type RunOnHost } from './run-record.js';

const MAX_LISTED_PATHS = 5;

const RULE = 'Work that is nowhere else is removed only when somebody gives it up';

/** Four parts for people; null: it may go. */
export async function whyKept(run: RunOnHost, giveUp: boolean): Promise<string | null> {
  const { record, stateDir } = run;
  if (!isClosedOnHost(stateDir)) return notClosed(run);
  if (!existsSync(record.repository.commonDir)) return null;
  const checkout = await checkoutOnBranch(record.repository, record.runId, record.worktree);
  if (checkout !== null) return checkedOut(run, checkout);
  return giveUp ? null : workToLose(run);
}

async function workToLose(run: RunOnHost): Promise<string | null> {
  try {
    return (await commitsToLose(run)) ?? (await changesToLose(run));
  } catch (err) {
    const trouble = lastingTrouble(err);
    if (trouble === null) throw err;
    const { branch } = run.record;
    const command = `git log ${branch}    or give it up: ${giveUpCommand(run)}`;
    return kept(run, { what: `git cannot tell what is only here: ${redact(trouble)}`, rule: RULE, command });
  }
}

/** Somebody wrote to it while it was being removed. */
export function branchMoved(run: RunOnHost): string {
  const { runId, branch } = run.record;
  return kept(run, {
    what: `${branch} moved while it was being removed`,
    rule: 'Only the branch that was looked at is removed',
    command: `sluice clean ${runId}`,
  });
}

function notClosed(run: RunOnHost): string {
  const { runId } = run.record;
  return kept(run, {
    what: 'it is not closed on this host',
    rule: 'Only a run that has ended is cleaned',
    command: `sluice status ${runId}    or end it: sluice abort ${runId}`,
  });
}

function checkedOut(run: RunOnHost, gitDir: string): string {
  const { branch, baseBranch, repository } = run.record;
  const where = gitDir === repository.commonDir || gitDir === repository.gitDir ? repository.root : gitDir;
  const switchAway = `git -C ${JSON.stringify(repository.root)} switch ${baseBranch === 'HEAD' ? '--detach' : baseBranch}`;
  return kept(run, {
    what: `${branch} is checked out in ${where}`,
    rule: 'A branch is never taken from under a person',
    command: switchAway,
  });
}

async function commitsToLose(run: RunOnHost): Promise<string | null> {
  const { repository, runId, branch, baseBranch } = run.record;
  const tip = (await listRunRefs(repository, runId)).find(({ ref }) => ref === `refs/heads/${branch}`)?.sha;
  if (tip === undefined) return null;
  const lost = await countLost(repository, runId, tip);
  if (lost === 0) return null;
  const commits = lost === 1 ? '1 commit that is' : `${lost} commits that are`;
  const what = `${branch} holds ${commits} neither in ${baseBranch} nor on any other branch`;
  return kept(run, { what, rule: RULE, command: `git merge ${branch}    or give it up: ${giveUpCommand(run)}` });
}

/** A failed turn leaves its changes in the worktree for people to look at. */
async function changesToLose(run: RunOnHost): Promise<string | null> {
  const { worktree } = run.record;
  if (lstatSync(worktree, { throwIfNoEntry: false })?.isDirectory() !== true || !existsSync(join(run.stateDir, 'git'))) return null;
  const git = await openRunGit(gitInputOf(run));
  const paths = (await git.changes()).map((change) => change.path);
  if (paths.length === 0) return null;
  const more = paths.length > MAX_LISTED_PATHS ? ` and ${paths.length - MAX_LISTED_PATHS} more` : '';
  const what = `its worktree has changes that are not committed: ${paths.slice(0, MAX_LISTED_PATHS).join(', ')}${more}`;
  const look = `git -C ${JSON.stringify(worktree)} status    or give them up: ${giveUpCommand(run)}`;
  return kept(run, { what, rule: RULE, command: look });
}

function giveUpCommand({ record }: RunOnHost): string {
  return `sluice clean ${record.runId} --give-up`;
}

interface Reason {
  /** A clause. */
  readonly what: string;
  /** A sentence without its full stop. */
  readonly rule: string;
  readonly command: string;
}

function kept({ record }: RunOnHost, { what, rule, command }: Reason): string {
  return `Run ${record.runId} was not cleaned: ${printableLine(what)}.\n${rule}.\nNothing was removed.\n${printableLine(command)}`;
}

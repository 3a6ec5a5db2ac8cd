/** Why a run is not cleaned: it is not over, it is being landed, a person stands on its branch, or work would be lost that nobody gave up. Nothing is changed here. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { CleanRunResult } from '../../protocol/actors/clean.js';
import { isForgeQueue } from '../../protocol/actors/merge-queue.js';
import { printableLine } from '../../protocol/text/printable.js';
import { redact } from '../../protocol/text/redact.js';
import { shellWord } from '../../protocol/text/shell-word.js';
import { findLandingBase } from '../git/merge/find-landing-base.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import {
  type BranchUse,
  countLost,
  findBranchUse,
  isSquashedInto,
  listRunRefs,
  type RunNames,
  readWorktreeLock,
} from '../git/refs/run-refs.js';
import { openRunGit } from '../git/run/open-run-git.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { isCleaningBegun } from '../unit/cleaning-mark.js';
import { isClosedOnHost } from '../unit/closed-mark.js';
import { readLanded } from '../unit/landed-mark.js';
import { RUN_RECORD_FILE, type RunOnHost } from '../unit/run-record.js';

const MAX_LISTED_PATHS = 5;

const RULE = 'Work that is nowhere else is removed only when somebody gives it up';

/** Four parts for people; null: it may go. `own`: what of it is to go; without a branch nothing of the worktree either. */
export async function whyKept(run: RunOnHost, own: RunNames, giveUp: boolean): Promise<string | null> {
  const { record, stateDir } = run;
  if (!isClosedOnHost(stateDir)) return notClosed(run);
  if (!existsSync(record.repository.commonDir)) return null;
  if (own.branch !== null) {
    const use = await findBranchUse(record);
    if (use !== null) return inUse(run, use);
    const lock = await readWorktreeLock(record.repository, record.worktree);
    if (lock !== null) return locked(run, lock);
  }
  return giveUp || (await isHalfRemoved(run, own)) ? null : workToLose(run, own);
}

/** Decided by a clean that was cut off: what is missing now it removed itself. */
async function isHalfRemoved({ stateDir }: RunOnHost, own: RunNames): Promise<boolean> {
  return isCleaningBegun(stateDir) && (await listRunRefs(own)).length === 0;
}

/** What it holds and where its worktree is cannot be known. */
export function recordDamaged(runId: string, stateDir: string): CleanRunResult {
  const record = join(stateDir, RUN_RECORD_FILE);
  const rule = 'Only what its record names is removed';
  return {
    kind: 'kept',
    why: keptText(runId, {
      what: 'its record is damaged or missing',
      rule,
      command: `Look at it: cat ${shellWord(record)}`,
    }),
  };
}

async function workToLose(run: RunOnHost, own: RunNames): Promise<string | null> {
  try {
    return (await commitsToLose(run, own)) ?? (own.branch === null ? null : await changesToLose(run));
  } catch (err) {
    const trouble = lastingTrouble(err);
    if (trouble === null) throw err;
    const { branch } = run.record;
    const command = `git log ${shellWord(branch)}    or give it up: ${giveUpCommand(run)}`;
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

/** Its head, record and environment are what the landing works with. */
export function landingOpen(run: RunOnHost, landed: string): string {
  const own = landed === run.record.runId;
  return kept(run, {
    what: own ? 'its landing is open' : `the landing of ${landed}, which it repairs, is open`,
    rule: 'A run is cleaned once its landing has ended',
    command: `sluice landings drop ${landed}    or wait until it has landed`,
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

function inUse(run: RunOnHost, { folder, isLinked, how }: BranchUse): string {
  const { branch, baseBranch } = run.record;
  const at = `git -C ${shellWord(folder)}`;
  const leave = `${at} switch ${isLinked || baseBranch === 'HEAD' ? '--detach' : shellWord(baseBranch)}`;
  return kept(run, {
    what: `${branch} is ${how} in ${folder}`,
    rule: 'A branch is never taken from under a person',
    command: {
      'checked out': leave,
      'being rebased': `${at} rebase --continue    or: ${at} rebase --abort`,
      'being bisected': `${at} bisect reset`,
    }[how],
  });
}

function locked(run: RunOnHost, reason: string): string {
  const { repository, worktree } = run.record;
  return kept(run, {
    what: `its worktree is locked${reason === '' ? '' : `: ${redact(reason)}`}`,
    rule: 'A worktree that a person locked is removed by nobody else',
    command: `git -C ${shellWord(repository.root)} worktree unlock ${shellWord(worktree)}`,
  });
}

async function commitsToLose(run: RunOnHost, own: RunNames): Promise<string | null> {
  const { branch, baseBranch } = run.record;
  const seen = await listRunRefs(own);
  const tips = new Map(seen.toReversed().map(({ ref, sha }) => [sha, ref]));
  const known = await landedHead(run);
  if (tips.size === 0 || (await countLost(own, [...tips.keys()], known)) === 0) return null;
  const landed = [...known, ...(await squashedHead(run))];
  const lost = await countLost(own, [...tips.keys()], landed);
  if (lost === 0) return null;
  const refs = [];
  for (const [sha, ref] of tips)
    if ((await countLost(own, [sha], landed)) > 0) refs.unshift(ref.replace('refs/heads/', ''));
  const commits = lost === 1 ? '1 commit that is' : `${lost} commits that are`;
  const what = `${refs.join(', ')} ${refs.length === 1 ? 'holds' : 'hold'} ${commits} neither in ${baseBranch} nor on any other branch`;
  const keep = refs.map((ref) =>
    ref === branch
      ? `git merge ${shellWord(branch)}`
      : `git branch ${shellWord(ref.replace('refs/sluice/', 'kept/'))} ${shellWord(ref)}`,
  );
  return kept(run, { what, rule: RULE, command: `${keep.join(' && ')}    or give it up: ${giveUpCommand(run)}` });
}

/** The head of its branch, where somebody has squashed it into its base. */
async function squashedHead({ record }: RunOnHost): Promise<readonly string[]> {
  const { repository, branch, baseBranch } = record;
  const head = await readRef(repository.commonDir, `refs/heads/${branch}`);
  const base = await readRef(repository.commonDir, `refs/heads/${baseBranch}`);
  if (head === null || base === null) return [];
  return (await isSquashedInto(repository, head, base)) ? [head] : [];
}

/** The head that its base has, though not by its own commits: as a squash, or without the markers of a repaired conflict. */
async function landedHead({ record, stateDir }: RunOnHost): Promise<readonly string[]> {
  const landed = readLanded(stateDir);
  if (landed === null) return [];
  if (isForgeQueue(landed.base)) return landed.isThere === true ? [landed.head] : [];
  const base = await findLandingBase(record.repository, landed.base.branch);
  if (base.kind === 'refused') return [];
  return (await readAncestry(record.repository, landed.commit, base.sha)) === 'ancestor' ? [landed.head] : [];
}

/** A failed turn leaves its changes in the worktree for people to look at. */
async function changesToLose(run: RunOnHost): Promise<string | null> {
  const { worktree } = run.record;
  if (lstatSync(worktree, { throwIfNoEntry: false })?.isDirectory() !== true || !existsSync(join(run.stateDir, 'git')))
    return null;
  const git = await openRunGit(run.workplace.git);
  const paths = (await git.changes()).map((change) => change.path);
  if (paths.length === 0) return null;
  const more = paths.length > MAX_LISTED_PATHS ? ` and ${paths.length - MAX_LISTED_PATHS} more` : '';
  const what = `its worktree has changes that are not committed: ${paths.slice(0, MAX_LISTED_PATHS).join(', ')}${more}`;
  // What the last agent left in the worktree is nobody's to start by looking at it.
  const look = `git -c core.fsmonitor=false -c core.hooksPath=/dev/null -C ${shellWord(worktree)} status --ignore-submodules    or give them up: ${giveUpCommand(run)}`;
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

function kept({ record }: RunOnHost, reason: Reason): string {
  return keptText(record.runId, reason);
}

function keptText(runId: string, { what, rule, command }: Reason): string {
  return `Run ${runId} was not cleaned: ${printableLine(what)}.\n${rule}.\nNothing was removed.\n${printableLine(command)}`;
}

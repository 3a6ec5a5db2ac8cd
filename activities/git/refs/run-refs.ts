/**
 * The refs of one run in the real repository, for when the run is given back: its branch and what lies below `refs/sluice/<runId>/`.
 * They are removed all or none, each only where it still stands where it was seen. No other ref is touched, no config program is run.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { isSquashMerged, SQUASH_ENVIRONMENT } from '../../../config/system/squash-merge.js';
import type { Repository } from '../start/contract.js';
import { ON_REAL_REPOSITORY, runGit, tryGit } from '../start/run-git.js';
import { STALE_AFTER_MS } from '../start/stale-ref-lock.js';
import { eachLine } from './each-line.js';
import { followName, readHead, readTextIfThere } from './read-ref.js';
import { moveRefs } from './run-branch.js';
import { findAdminDir, listAdminDirs } from './worktree-registration.js';

export interface SeenRef {
  /** Full name. */
  readonly ref: string;
  readonly sha: string;
}

/** What is a run's in its repository. */
export interface RunNames {
  readonly repository: Repository;
  readonly runId: string;
  /** Short. Null: it is another run's by now. */
  readonly branch: string | null;
}

/** The branch comes first, where there is one. */
export async function listRunRefs({ repository, runId, branch }: RunNames): Promise<readonly SeenRef[]> {
  if (branch === null) return listKeptRefs({ repository, runId });
  const listed = await listRefs(repository, [`refs/heads/${branch}`, `refs/sluice/${runId}/`]);
  // A pattern also names the folder of that name: a branch below the run's is somebody else's.
  return listed.filter(({ ref }) => ref === `refs/heads/${branch}` || ref.startsWith(`refs/sluice/${runId}/`));
}

/** Without the branch: for that git reads the branches of all runs, which lie in one folder. */
export function listKeptRefs({
  repository,
  runId,
}: Pick<RunNames, 'repository' | 'runId'>): Promise<readonly SeenRef[]> {
  return listRefs(repository, [`refs/sluice/${runId}/`]);
}

async function listRefs(repository: Repository, patterns: readonly string[]): Promise<readonly SeenRef[]> {
  const listed = await onReal(repository, ['for-each-ref', '--format=%(refname) %(objectname)', ...patterns]);
  return listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ ref: line.slice(0, line.indexOf(' ')), sha: line.slice(line.indexOf(' ') + 1) }));
}

/**
 * How many commits that these tips of the run reach no lasting ref of others and no HEAD of the person's checkout reaches: they would be lost with them.
 * `landed`: commits that are in their base in another form. Errors: `GitError` where git cannot read the history.
 */
export async function countLost(
  { repository, runId, branch }: RunNames,
  tips: readonly string[],
  landed: readonly string[] = [],
): Promise<number> {
  // `--single-worktree`: the HEAD of the run's own worktree is the branch itself. The refs of merge queues are made anew or go with their queue.
  const own = [...(branch === null ? [] : [`refs/heads/${branch}`]), `refs/sluice/${runId}/*`, 'refs/sluice/@*'];
  const others = ['--single-worktree', ...own.map((refs) => `--exclude=${refs}`), '--all'];
  return Number((await onReal(repository, ['rev-list', '--count', ...tips, '--not', ...landed, ...others])).trim());
}

/** Whether a branch has all of a head as one commit of its own. False where it cannot be told. */
export async function isSquashedInto({ commonDir }: Repository, head: string, base: string): Promise<boolean> {
  const git = async (args: readonly string[]) => {
    const { exitCode, stdout } = await tryGit([...ON_REAL_REPOSITORY, ...args], {
      gitDir: commonDir,
      env: SQUASH_ENVIRONMENT,
    });
    return exitCode === 0 ? stdout : null;
  };
  return isSquashMerged(git, head, base);
}

/** Somebody at work on a branch. */
export interface BranchUse {
  /** Of the checkout, as the person knows it. */
  readonly folder: string;
  /** Not the main checkout, nor the one that a run was started in: its base branch may be checked out elsewhere. */
  readonly isLinked: boolean;
  readonly how: 'checked out' | 'being rebased' | 'being bisected';
}

/** A checkout that stands on the branch, rebases it or bisects from it, the run's own worktree aside; null: there is none. */
export async function findBranchUse({
  repository,
  branch,
  worktree,
}: Pick<RunNames, 'repository'> & {
  readonly branch: string;
  readonly worktree: string | null;
}): Promise<BranchUse | null> {
  const own = worktree === null ? null : await findAdminDir(repository.commonDir, worktree);
  const gitDirs = new Set([repository.commonDir, repository.gitDir, ...(await listAdminDirs(repository.commonDir))]);
  for (const gitDir of gitDirs) {
    if (gitDir === own) continue;
    const how = await howUsed(repository.commonDir, gitDir, branch);
    if (how === null) continue;
    return {
      folder: await folderOf(repository, gitDir),
      isLinked: gitDir !== repository.commonDir && gitDir !== repository.gitDir,
      how,
    };
  }
  return null;
}

async function howUsed(commonDir: string, gitDir: string, branch: string): Promise<BranchUse['how'] | null> {
  const ref = `refs/heads/${branch}`;
  const head = await readHead(gitDir);
  if (head.kind === 'branch')
    return head.ref === ref || (await followName(commonDir, head.ref)) === ref ? 'checked out' : null;
  // A rebase detaches HEAD and keeps here what it will move in the end (builtin/rebase.c, sequencer.c).
  for (const kept of ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs'])
    if (await hasLine(join(gitDir, kept), [ref])) return 'being rebased';
  // What `git bisect reset` checks out again, mostly by its short name (builtin/bisect--helper.c).
  return (await hasLine(join(gitDir, 'BISECT_START'), [branch, ref])) ? 'being bisected' : null;
}

async function hasLine(path: string, lines: readonly string[]): Promise<boolean> {
  for (const line of eachLine((await readTextIfThere(path)) ?? '')) if (lines.includes(line.trim())) return true;
  return false;
}

async function folderOf({ commonDir, gitDir: startedIn, root }: Repository, gitDir: string): Promise<string> {
  if (gitDir === startedIn) return root;
  if (gitDir === commonDir) return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  const dotGit = (await readTextIfThere(join(gitDir, 'gitdir')))?.trim() ?? '';
  // May be relative to the admin folder (`worktree.useRelativePaths`).
  return dotGit === '' ? gitDir : dirname(resolve(gitDir, dotGit));
}

/** What a person said who locked the worktree with `git worktree lock`, or an empty text; null: it is not locked. */
export async function readWorktreeLock(repository: Repository, worktree: string): Promise<string | null> {
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  const reason = adminDir === null ? null : await readTextIfThere(join(adminDir, 'locked'));
  // Git's own, of a `worktree add` that was killed.
  return reason === null || reason.startsWith('initializing') ? null : reason.trim();
}

/** `moved`: one of them stands elsewhere by now, and none was removed. Errors: as `moveRefs`. */
export async function deleteRefs(
  repository: Repository,
  refs: readonly SeenRef[],
  staleAfterMs = STALE_AFTER_MS,
): Promise<'deleted' | 'moved'> {
  if (refs.length === 0) return 'deleted';
  const moves = refs.map(({ ref, sha }) => ({ ref, to: null, from: sha }));
  return (await moveRefs(repository, moves, { identity: null, staleAfterMs })) === 'moved' ? 'deleted' : 'moved';
}

function onReal(repository: Repository, args: readonly string[]): Promise<string> {
  return runGit([...ON_REAL_REPOSITORY, ...args], { gitDir: repository.commonDir });
}

/**
 * The git of one run: its worktree seen through a private git dir, its branch in the real repository.
 * Everything but moving the run's two refs happens in the private git dir (see private-git-dir.ts for why), so no hook, filter or
 * monitor of the repository runs. It does not journal; answers are values for the caller to journal.
 */

import { join } from 'node:path';
import { makeFolder } from '../../../config/home/make-folder.js';
import { bytesOf, readForeignFileSync } from '../../../config/system/foreign-file.js';
import { replaceFile } from '../../../config/system/replace-file.js';
import { readDiff, readPatch } from '../inspect/diff.js';
import { type ListedCommit, listCommits } from '../inspect/list-commits.js';
import { openPrivateGitDir, PROTECTED, type PrivateGitDir } from '../inspect/private-git-dir.js';
import { followRef, readRef } from '../refs/read-ref.js';
import { chooseResetRef, moveRefs } from '../refs/run-branch.js';
import { assertTreeFits } from '../refs/tree-size.js';
import type {
  Change,
  CommitRequest,
  Diff,
  Identity,
  PlannedCommit,
  PublishOutcome,
  Repository,
  RestoreOutcome,
} from '../start/contract.js';
import { splitNul } from '../start/run-git.js';
import { type SetAside, setAside } from '../worktree/set-aside.js';
import { FIRST_CONFIG, hasStoodAt, mendOwnState, type OwnWorktree } from '../worktree/worktree-own-state.js';
import { assertRealRoot, clearDestroyed, type RootReading, readRoot } from '../worktree/worktree-root.js';
import { LIST_IGNORED, listChanges } from './changes.js';
import { planCommit } from './commit.js';

export interface OpenRunGitInput {
  readonly repository: Repository;
  /** Real path. */
  readonly worktree: string;
  /** Of the engine's own, below the sluice home. */
  readonly gitDir: string;
  /** Short: `sluice/<runId>`. */
  readonly branch: string;
  /** `refs/sluice/<runId>/head`. */
  readonly headRef: string;
}

/**
 * Opens the git of a run; the first time it takes the config snapshot. A worktree that was just added is empty until `restore`.
 * Idempotency: opening again, also after a kill, reads the same snapshot.
 */
export async function openRunGit(input: OpenRunGitInput): Promise<RunGit> {
  const { repository, gitDir, worktree } = input;
  const git = await openPrivateGitDir({ repository, gitDir, workTree: worktree, snapshotOf: null });
  return new RunGit(input, git);
}

/** A config of a person is in one of them. */
const MAX_NOTE_BYTES = 64 * 1024 * 1024;

/** Of a worktree that is taken over: what the engine noted before any command ran there, and what it copied into it. Call it before the git dir is opened. */
export function takeNotes(from: string, to: string): void {
  makeFolder(to);
  for (const name of [FIRST_CONFIG, PROTECTED]) {
    const note = bytesOf(readForeignFileSync(join(from, name), { maxBytes: MAX_NOTE_BYTES }));
    if (note !== null) replaceFile(join(to, name), note, 'flushed');
  }
}

/** What of a run's git a person's own git obeys in the worktree. */
export function ownWorktreeOf({ repository, worktree, gitDir, branch }: OpenRunGitInput): OwnWorktree {
  return { repository, worktree, gitDir, branchRef: `refs/heads/${branch}` };
}

export class RunGit {
  private readonly own: OwnWorktree;

  constructor(
    private readonly input: OpenRunGitInput,
    private readonly git: PrivateGitDir,
  ) {
    this.own = ownWorktreeOf(input);
  }

  /** Whose name is on commits unless a request says otherwise. */
  get identity(): Identity {
    return this.git.identity;
  }

  /** Where the run's branch stands; null if it is gone or no plain ref. */
  head(): Promise<string | null> {
    return readRef(this.input.repository.commonDir, this.own.branchRef);
  }

  /** Whether the last `restore` or `publish` was to this commit: a person may have agreed to go on from another. */
  async standsAt(sha: string): Promise<boolean> {
    return (await this.git.headCommit()) === sha;
  }

  /** Whether the worktree is still the run's own. */
  root(): Promise<RootReading> {
    return readRoot(this.input.worktree);
  }

  /**
   * Worktree against the head of the last `restore` or `publish`.
   * Errors: `WorktreeViolation` if the worktree is no real folder.
   */
  async changes(): Promise<readonly Change[]> {
    assertRealRoot(this.input.worktree);
    return listChanges(this.git);
  }

  /**
   * Makes the worktree that of `sha`: tracked files, index, HEAD on the run's branch; what is untracked goes, ignored files stay.
   * The branch is moved to `sha` too if it is gone or it was moved in this worktree, so by the agent; the left commit stays as `reset-<n>`, unless it is `dropped`: what no ref
   * may hold (V-128).
   * Effects: a folder that is not the run's own worktree any more (see `root`) is moved aside whole, with its ignored files.
   * Errors: `WorktreeViolation` if a folder above the worktree is a symlink.
   */
  async restore(sha: string, left: 'kept' | 'dropped' = 'kept'): Promise<RestoreOutcome> {
    if ((await this.root()).kind === 'destroyed') await clearDestroyed(this.input.worktree);
    await this.git.reset(sha);
    const outcome = await this.restoreBranch(sha, left);
    await this.mend();
    return outcome;
  }

  /** What lies in the worktree and git ignores, from its top; a folder that is ignored whole is one, with a slash behind it. */
  async ignored(): Promise<readonly string[]> {
    assertRealRoot(this.input.worktree);
    return splitNul(await this.git.run(LIST_IGNORED));
  }

  /** Takes a commit that was made in this worktree by hand for the one that `changes` compares with; the files stay as they are. Errors: `TooLarge`. */
  async follow(sha: string): Promise<void> {
    await assertTreeFits(this.git, sha);
    await this.git.run(['reset', '--quiet', '--mixed', sha, '--']);
  }

  /** Moves every change out of the worktree, beside it. Null: there was nothing to keep. Errors: `WorktreeViolation`, `SymlinkInTheWay`. */
  async setAside(): Promise<SetAside | null> {
    return setAside(this.input.worktree, await this.changes());
  }

  /**
   * Moves the branch between two commits of the run's own records, after a reset of the run; the left one is kept under `refs/sluice/<runId>/reset-<n>`.
   * The worktree is not touched: `restore` follows.
   */
  async moveBack(from: string, to: string): Promise<PublishOutcome> {
    const keep = await chooseResetRef(this.input.repository, this.input.headRef);
    const moved = await moveRefs(
      this.input.repository,
      [
        { ref: this.own.branchRef, to, from },
        { ref: this.input.headRef, to },
        { ref: keep, to: from, from: null },
      ],
      this.git,
    );
    const stands = moved === 'moved' ? to : await this.head();
    // Another attempt of the same turn may have moved it first, and kept what it left.
    return stands === to ? { kind: 'published' } : { kind: 'moved', actual: stands };
  }

  /**
   * Writes the commit of a turn as an object. Null: the tree is that of `expectedHead`; if `head()` is not, `restore` puts it back.
   * Errors: `WorktreeViolation` if the worktree is no real folder, or a nested repository cannot be staged.
   */
  async plan(request: CommitRequest): Promise<PlannedCommit | null> {
    assertRealRoot(this.input.worktree);
    return planCommit(this.git, this.own, request);
  }

  /**
   * Moves the branch and `refs/sluice/<runId>/head` to the planned commit, then brings the worktree's own index and HEAD up to date.
   * Idempotency: a branch that stands at the planned commit is adopted; any other that is not `branchAt` is left alone.
   * Errors: `WorktreeViolation` if the worktree is no real folder; no ref is moved then.
   */
  async publish(planned: PlannedCommit): Promise<PublishOutcome> {
    assertRealRoot(this.input.worktree);
    const { repository, headRef } = this.input;
    const adopted = (await this.head()) === planned.commit;
    const from = adopted ? planned.commit : planned.branchAt;
    const moved = await moveRefs(
      repository,
      [
        { ref: this.own.branchRef, to: planned.commit, from },
        { ref: headRef, to: planned.commit },
      ],
      this.git,
    );
    if (moved !== 'moved') {
      const actual = await this.head();
      // Another attempt of the same turn came first, as planned: the id says so.
      return actual === planned.commit && !adopted ? this.publish(planned) : { kind: 'moved', actual };
    }
    // A killed attempt may have left an index of something else; `--mixed` keeps the worktree and the entries that still fit.
    if (adopted) await this.git.run(['reset', '--quiet', '--mixed', planned.commit, '--']);
    else this.git.setHeadCommit(planned.commit);
    await this.mend();
    return { kind: adopted ? 'adopted' : 'published' };
  }

  diff(base: string, head: string): Promise<Diff> {
    return readDiff(this.git, base, head);
  }

  /** Oldest first, of the line of first parents. */
  commits(base: string, head: string): Promise<readonly ListedCommit[]> {
    return listCommits(this.git, base, head);
  }

  /** Unified text for people; binary files are named, not shown. */
  patch(base: string, head: string): Promise<string> {
    return readPatch(this.git, base, head);
  }

  /** Of the commit, in git's order. */
  async files(commit: string): Promise<readonly string[]> {
    return splitNul(await this.git.run(['ls-tree', '-r', '--name-only', '-z', commit]));
  }

  private async restoreBranch(sha: string, left: 'kept' | 'dropped'): Promise<RestoreOutcome> {
    const actual = await this.head();
    if (actual === sha) return { kind: 'restored' };
    if (actual !== null && !(await hasStoodAt(this.own, actual))) return { kind: 'branch_elsewhere', actual };
    const { repository, headRef } = this.input;
    const from = actual ?? (await followRef(repository.commonDir, this.own.branchRef));
    const kept =
      actual === null || left === 'dropped'
        ? []
        : [{ ref: await chooseResetRef(repository, headRef), to: actual, from: null }];
    const moved = await moveRefs(repository, [{ ref: this.own.branchRef, to: sha, from }, ...kept], this.git);
    const stands = moved === 'moved' ? sha : await this.head();
    // Another attempt of the same turn may have put it there first.
    return stands === sha ? { kind: 'restored' } : { kind: 'branch_elsewhere', actual: stands };
  }

  private mend(): Promise<void> {
    return mendOwnState(this.own);
  }
}

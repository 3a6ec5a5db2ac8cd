/**
 * The words that git/ and its callers share. All of it is JSON-safe, so that a turn can keep it in a mark.
 * Paths of a change are relative to the worktree, with `/`, as git stores them.
 */

import type { DiffRule } from '../../../protocol/run/outcomes.js';
import type { Redactor } from '../../../protocol/text/value-redactor.js';

/** Real, absolute paths. */
export interface Repository {
  /** The work tree that the person named. */
  readonly root: string;
  /** Shared by all worktrees: objects, branches, hooks, config. */
  readonly commonDir: string;
  /** Of `root`: the common directory, or one of its `worktrees/<id>`. */
  readonly gitDir: string;
  /** Safe as a part of run ids and file names. */
  readonly project: string;
}

export interface Base {
  /** As people name it; `HEAD` where no branch is checked out. */
  readonly branch: string;
  readonly sha: string;
}

export type ChangeStatus = 'added' | 'modified' | 'deleted' | 'type_changed';

export interface Change {
  readonly path: string;
  /** Only of a path that is no UTF-8: the path as the system has it (byte-path.ts). */
  readonly bytes?: string;
  readonly status: ChangeStatus;
}

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** A commit that the agent made itself. */
export interface FoldedCommit {
  readonly sha: string;
  readonly message: string;
}

/** A commit that exists as an object; no ref points to it before `publish`. */
export interface PlannedCommit {
  readonly commit: string;
  readonly tree: string;
  readonly parent: string;
  /** Where the run's branch stood, moved by the agent or not; null if the agent deleted it. `publish` swaps against it. */
  readonly branchAt: string | null;
  /** Those that the commit replaces. */
  readonly folded: readonly FoldedCommit[];
  /** Those that were made anew before it, and are kept. */
  readonly kept: readonly FoldedCommit[];
  /** All that are new on the branch, oldest first; the last is the commit. */
  readonly made: readonly string[];
}

export interface CommitRequest {
  readonly expectedHead: string;
  /** ISO; both times of the commit, so that a second attempt makes the same commit. */
  readonly claimedAt: string;
  readonly subject: string;
  readonly body: string;
  /** Lines of the last paragraph, behind all that an agent wrote: what tools read. */
  readonly trailers?: readonly string[];
  /** The agent's own commits stay commits, where they can. Default: they are folded. */
  readonly keeps?: boolean;
  /** Default: the person's identity as it was when the run opened. */
  readonly identity?: Identity;
  /** What `changes()` answered just before, to save one process. */
  readonly changes?: readonly Change[];
  /** Of the run, for the agent's own messages. Default: it knows shapes only. */
  readonly redactor?: Redactor;
}

export type PublishOutcome =
  | { readonly kind: 'published' }
  /** The branch stood at the planned commit already. */
  | { readonly kind: 'adopted' }
  /** Somebody else moved the branch; nothing was written. Null: it is gone. */
  | { readonly kind: 'moved'; readonly actual: string | null };

export type RestoreOutcome =
  | { readonly kind: 'restored' }
  /** The worktree is restored; the branch was moved by somebody else and was left there. */
  | { readonly kind: 'branch_elsewhere'; readonly actual: string | null };

export interface DiffFile {
  readonly path: string;
  readonly status: ChangeStatus;
  /** Git's octal mode after the change: 100644, 100755, 120000 (symlink), 160000 (submodule), 000000 (deleted). */
  readonly mode: string;
  /** Lines; null for binary files. */
  readonly added: number | null;
  readonly deleted: number | null;
}

export interface AddedLine {
  /** From 1, in the new file. */
  readonly line: number;
  readonly text: string;
}

export interface Diff {
  readonly files: readonly DiffFile[];
  /** By path; files without added lines are absent. Every file is read as text here, whatever its attributes say. */
  readonly addedLines: ReadonlyMap<string, readonly AddedLine[]>;
  readonly patchBytes: number;
}

export interface DiffFinding {
  readonly rule: DiffRule;
  readonly path: string;
  readonly line: number | null;
  /** One sentence for people, without the secret. */
  readonly why: string;
}

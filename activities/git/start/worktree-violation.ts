/**
 * What a turn made of its worktree so that no commit can be taken from it: the folder is gone or somebody else's, a nested repository lies in it.
 * A caller answers it as a policy violation; it says nothing about the host.
 */

/** `message` is one clause for people. */
export class WorktreeViolation extends Error {
  override readonly name = 'WorktreeViolation';

  constructor(
    message: string,
    /** Relative to the worktree; empty: the worktree itself. */
    readonly paths: readonly string[] = [],
  ) {
    super(message);
  }
}

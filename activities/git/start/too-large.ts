/** Something of a repository or worktree is larger than anything that belongs there. Trying again changes nothing until somebody removes it. */

/** `message` is one clause for people. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

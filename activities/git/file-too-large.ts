/** A file of a repository or worktree is larger than anything that belongs there. Trying again changes nothing until somebody removes it. */

/** `message` is one clause for people. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';

  /** Unit of `size`: bytes. */
  constructor(path: string, size: number) {
    super(`${JSON.stringify(path)} has ${Math.ceil(size / 1_000_000)} MB, far more than git puts there`);
  }
}

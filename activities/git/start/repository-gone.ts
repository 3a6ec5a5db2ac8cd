/** A person moved or deleted the repository under a run. Trying again changes nothing until it is back. */

/** `message` is one clause for people. */
export class RepositoryGone extends Error {
  override readonly name = 'RepositoryGone';

  constructor(commonDir: string) {
    super(`the repository ${commonDir} is gone`);
  }
}

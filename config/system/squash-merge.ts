/**
 * Whether a base has the change of a branch as one commit of its own, as a squash merge makes it: then no commit of the branch is in its history. All
 * changes of the branch, taken as one commit, are compared by their patch with what the base got since the two parted.
 */

/** Runs git with `SQUASH_ENVIRONMENT`; it may write an object. Null: git could not. */
export type Git = (args: readonly string[]) => Promise<string | null>;

const IDENTITY = { NAME: 'sluice', EMAIL: 'sluice@localhost', DATE: '@0 +0000' };

/** Always the same, so that the object that stands for the whole change is written once. */
export const SQUASH_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) =>
    Object.entries(IDENTITY).map(([what, value]) => [`GIT_${who}_${what}`, value]),
  ),
);

/** False where git cannot tell. */
export async function isSquashMerged(git: Git, head: string, base: string): Promise<boolean> {
  const parted = (await git(['merge-base', '--end-of-options', base, head]))?.trim() ?? '';
  if (parted === '' || parted === head) return false;
  const whole = await git(['commit-tree', `${head}^{tree}`, '-p', parted, '-m', 'all of it']);
  if (whole === null) return false;
  // `-` stands before what the base has by its patch.
  const compared = await git(['cherry', base, whole.trim(), parted]);
  return compared?.startsWith('- ') === true;
}

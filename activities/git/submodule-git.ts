/**
 * Git dirs of submodules in a worktree. `git status` of the worktree starts a git in each submodule that has one, with that one's config; the engine never makes
 * any, and a set-up that does keeps it in the repository, where no sandbox lets a command write. One that lies anywhere else was left by a command.
 * Not promised: submodules of submodules.
 */
import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { assertNoSymlink } from './no-symlink.js';
import { readIndex, readTextIfThere } from './read-ref.js';
import { runGit, splitNul } from './run-git.js';

/** The mode of a gitlink, as an index holds it: 160000 in four bytes (index-format.txt). */
const GITLINK = Buffer.from([0, 0, 0xe0, 0]);

/** A path is shorter. */
const MAX_GIT_FILE_BYTES = 8192;

interface Checkout {
  readonly commonDir: string;
  readonly worktree: string;
  /** The private git dir, whose index says where submodules are. */
  readonly gitDir: string;
}

/** Paths of submodules, relative to the worktree, whose git dir is not the repository's. */
export async function foreignSubmodules(checkout: Checkout): Promise<readonly string[]> {
  const found = await Promise.all((await gitlinksOf(checkout)).map(async (path) => ((await isForeign(checkout, path)) ? [path] : [])));
  return found.flat();
}

/** Moves their `.git` beside the worktree. Errors: `SymlinkInTheWay`. */
export async function takeForeignSubmodules(checkout: Checkout): Promise<void> {
  const { worktree } = checkout;
  for (const [index, path] of (await foreignSubmodules(checkout)).entries()) {
    const aside = join(dirname(worktree), `.${basename(worktree)}.submodule-${index}.found-${Date.now()}`);
    await rename(join(worktree, path, '.git'), aside);
  }
}

/** An index without the bytes of a gitlink has none; of another git tells. */
async function gitlinksOf({ gitDir, commonDir }: Checkout): Promise<readonly string[]> {
  const path = join(gitDir, 'index');
  if ((await lstat(path).catch(() => null)) === null || !(await readIndex(path)).includes(GITLINK)) return [];
  const entries = splitNul(
    await runGit(['ls-files', '--stage', '-z'], { gitDir, env: { GIT_OBJECT_DIRECTORY: join(commonDir, 'objects') } }),
  );
  return entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

async function isForeign({ commonDir, worktree }: Checkout, path: string): Promise<boolean> {
  // Git looks at nothing beyond a link.
  const isOwnPath = await assertNoSymlink(worktree, path).then(
    () => true,
    () => false,
  );
  const own = join(worktree, path, '.git');
  const found = isOwnPath ? await lstat(own).catch(() => null) : null;
  if (found === null) return false;
  if (!found.isFile() || found.size > MAX_GIT_FILE_BYTES) return true;
  const text = (await readTextIfThere(own)) ?? '';
  const leadsTo = resolve(join(worktree, path), text.replace(/^gitdir: /, '').trimEnd());
  return !text.startsWith('gitdir: ') || !leadsTo.startsWith(commonDir + sep);
}

/**
 * Git dirs of submodules in a worktree. `git status` of the worktree starts a git in each submodule that has one, with that one's config; the engine never makes
 * any, and a set-up that does keeps it in the repository, where no sandbox lets a command write. One that lies anywhere else was left by a command.
 * Which paths are submodules the worktree's own index says to a person's git, and after the next turn the engine's, of which it becomes a copy.
 * Not promised: submodules of submodules.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { readIndex } from '../refs/read-ref.js';
import { lastingTrouble } from '../start/lasting-trouble.js';
import { assertNoSymlink } from '../start/no-symlink.js';
import { runGit, splitNul } from '../start/run-git.js';
import { MAX_GIT_FILE_BYTES, moveAside } from './worktree-root.js';

/** What leads an index to more entries (index-format.txt: split and sparse index). */
const SIGNS = [Buffer.from('link\0'), Buffer.from('sdir\0')];

/** Git reads this file as a C string, and what is no UTF-8 names another path to git than here. */
const GIT_FILE = /^gitdir: ([^\0\r\n\uFFFD]+)\n?$/;

interface Checkout {
  readonly commonDir: string;
  readonly worktree: string;
  /** The private git dir. */
  readonly gitDir: string;
  /** The worktree's own; its HEAD is one. */
  readonly adminDir: string;
}

/** `foreign`: paths of submodules, relative to the worktree, whose git dir is not the repository's. */
export interface Submodules {
  readonly foreign: readonly string[];
  /** The worktree's own. */
  readonly isIndexReadable: boolean;
}

export async function lookAtSubmodules(checkout: Checkout): Promise<Submodules> {
  const { gitDir, adminDir } = checkout;
  const [engines, own] = await Promise.all([indexIn(gitDir), indexIn(adminDir)]);
  const isSame = engines instanceof Buffer && own instanceof Buffer && own.equals(engines);
  const [theirs, ours] = await Promise.all([
    isSame ? [] : gitlinksOf(checkout, adminDir, own),
    gitlinksOf(checkout, gitDir, engines),
  ]);
  const paths = [...new Set([...(theirs ?? []), ...(ours ?? [])])];
  const found = await Promise.all(paths.map(async (path) => ((await isForeign(checkout, path)) ? [path] : [])));
  return { foreign: found.flat(), isIndexReadable: theirs !== null };
}

/** Moves their `.git` beside the worktree. */
export async function takeSubmodules(worktree: string, foreign: readonly string[]): Promise<void> {
  for (const [index, path] of foreign.entries())
    await moveAside(join(worktree, path, '.git'), dirname(worktree), `${basename(worktree)}+submodule-${index}`);
}

/** Null: there is none; `unreadable`: nothing that git made, or not as we may read it. */
async function indexIn(dir: string): Promise<Buffer | null | 'unreadable'> {
  const path = join(dir, 'index');
  const found = lookAt(path);
  if (found === null) return null;
  if (!found.isFile()) return 'unreadable';
  return readIndex(path).catch((error: unknown) => unreadable(error, 'unreadable' as const));
}

/** An index without the signs has none; of another git tells. Null: it cannot. */
async function gitlinksOf(
  { commonDir, gitDir }: Checkout,
  dir: string,
  index: Buffer | null | 'unreadable',
): Promise<readonly string[] | null> {
  if (index === 'unreadable') return null;
  if (index === null || !(hasGitlink(index) || SIGNS.some((sign) => index.includes(sign)))) return [];
  // The engine's config beside an index that may have a second part in its own folder.
  const env = { GIT_OBJECT_DIRECTORY: join(commonDir, 'objects'), GIT_COMMON_DIR: gitDir };
  try {
    const entries = splitNul(await runGit(['ls-files', '--stage', '-z'], { gitDir: dir, env }));
    const paths = entries
      .filter((entry) => entry.startsWith('160000 '))
      .map((entry) => entry.slice(entry.indexOf('\t') + 1));
    return paths.some(isOdd) ? null : paths;
  } catch (error) {
    return unreadable(error, null);
  }
}

/** The mode of one, 160000 in four bytes, of which one is rare: half of an index is zeros, and to look for those first takes thirty times as long. */
function hasGitlink(index: Buffer): boolean {
  for (let at = index.indexOf(0xe0); at >= 0; at = index.indexOf(0xe0, at + 1))
    if (index[at - 2] === 0 && index[at - 1] === 0 && index[at + 1] === 0) return true;
  return false;
}

/** No UTF-8, which names another path here than to git; or one that leads out of the worktree, which git itself never writes. */
function isOdd(path: string): boolean {
  return path.includes('\uFFFD') || isAbsolute(path) || path.split('/').includes('..');
}

function unreadable<T>(error: unknown, answer: T): T {
  if (lastingTrouble(error) === null) throw error;
  return answer;
}

async function isForeign({ commonDir, adminDir, worktree }: Checkout, path: string): Promise<boolean> {
  // Git looks at nothing beyond a link.
  const isOwnPath = await assertNoSymlink(worktree, path).then(
    () => true,
    () => false,
  );
  const folder = join(worktree, path);
  const found = isOwnPath ? await lstat(join(folder, '.git')).catch(() => null) : null;
  if (found === null) return false;
  const text = textOf(await readForeignFile(join(folder, '.git'), { maxBytes: MAX_GIT_FILE_BYTES }));
  const named = GIT_FILE.exec(text ?? '')?.[1];
  const owners = [commonDir, adminDir];
  if (named === undefined || !isModule(owners, resolve(folder, named))) return true;
  // Unjoined: a `..` behind a link leads elsewhere than the text says.
  const real = await realpath(isAbsolute(named) ? named : `${folder}${sep}${named}`).catch(() => null);
  return real === null || !isModule(await Promise.all(owners.map((owner) => realpath(owner))), real);
}

/** Where git keeps the git dirs of submodules, which are watched; anywhere else in the repository nobody looks. Source: gitrepository-layout(5), `modules`. */
function isModule(owners: readonly string[], path: string): boolean {
  return owners.some((owner) => isBelow(join(owner, 'modules'), path));
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}

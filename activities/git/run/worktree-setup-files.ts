/**
 * Brings files of the person's checkout that are not in git (`.env`, `node_modules`) into a checkout of the engine's, by copy or link.
 * Nothing of it is ever committed: every path is protected in the private git dir first, and what the commit tracks is left alone.
 * Paths stay inside both folders, and no component of a written path is a symlink.
 */

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import { excludePaths, openPrivateGitDir, protectPaths } from '../inspect/private-git-dir.js';
import type { Repository } from '../start/contract.js';
import { lastingTrouble } from '../start/lasting-trouble.js';
import { assertNoSymlink } from '../start/no-symlink.js';
import { splitNul } from '../start/run-git.js';
import { expandGlobs, resolveInside } from '../worktree/expand-globs.js';

export interface CopyAndLinkInput {
  readonly repository: Repository;
  /** Real path of the checkout that gets the files. */
  readonly target: string;
  /** Globs and paths below the person's checkout. */
  readonly copy: readonly string[];
  /** Paths below the person's checkout. */
  readonly link: readonly string[];
  /** The target's private git dir. */
  readonly gitDir: string;
}

export interface CopyAndLinkResult {
  readonly copied: readonly string[];
  readonly linked: readonly string[];
  /** What was not done, and why, in words for people. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** Idempotency: what is there already is written again, a link that leads to the same place stays. A `RunGit` opened before does not know the protected paths. */
export async function copyAndLink(input: CopyAndLinkInput): Promise<CopyAndLinkResult> {
  const { repository, target, copy, link, gitDir } = input;
  if (copy.length === 0 && link.length === 0) return { copied: [], linked: [], skipped: [] };
  const git = await openPrivateGitDir({ repository, gitDir, workTree: target, snapshotOf: null });
  const tracked = trackedPaths(splitNul(await git.run(['ls-files', '-z'])));
  const skipped: Skipped[] = [];
  const wanted = await expandGlobs(repository.root, copy);
  for (const path of wanted.missing) skipped.push({ path, why: 'it is not in your checkout' });
  for (const path of wanted.outside) skipped.push({ path, why: 'it leads out of the repository' });
  const copies = wanted.files.filter((path) => !tracked.has(path));
  const links = await linkable(input, tracked, skipped);
  await protectPaths(gitDir, [...copies, ...links]);
  await excludePaths(gitDir, [...copies, ...links]);
  const copied = await each(copies, skipped, (path) => copyOne(input, path));
  const linked = await each(links, skipped, (path) => linkOne(input, path));
  return { copied, linked, skipped };
}

type Skipped = CopyAndLinkResult['skipped'][number];

/** One after the other; answers the paths for which `act` had no objection. */
async function each(
  paths: readonly string[],
  skipped: Skipped[],
  act: (path: string) => Promise<string | null>,
): Promise<string[]> {
  const done: string[] = [];
  for (const path of paths) {
    const why = await act(path).catch(whyNever);
    if (why === null) done.push(path);
    else skipped.push({ path, why });
  }
  return done;
}

/** What lies in the files themselves is told, as nothing mends it by itself. Errors: what passes with time. */
function whyNever(error: unknown): string {
  const why = lastingTrouble(error);
  if (why === null) throw error;
  return why;
}

/** Tracked files and every folder above one. */
function trackedPaths(files: readonly string[]): ReadonlySet<string> {
  const all = new Set(files);
  for (const file of files)
    for (let folder = posix.dirname(file); folder !== '.'; folder = posix.dirname(folder)) all.add(folder);
  return all;
}

async function linkable(
  { repository, link }: CopyAndLinkInput,
  tracked: ReadonlySet<string>,
  skipped: Skipped[],
): Promise<string[]> {
  const paths: string[] = [];
  for (const written of link) {
    const path = resolveInside(written);
    if (path === null) skipped.push({ path: written, why: 'it leads out of the repository' });
    else if (tracked.has(path)) skipped.push({ path, why: 'the commit holds files there' });
    else if ((await lstat(join(repository.root, path)).catch(() => null)) === null)
      skipped.push({ path, why: 'it is not in your checkout' });
    else paths.push(path);
  }
  return paths;
}

async function copyOne({ repository, target }: CopyAndLinkInput, path: string): Promise<string | null> {
  const from = join(repository.root, path);
  if (!(await staysInside(repository.root, from))) return 'it is a symlink out of the repository';
  const parent = await safeParent(target, path);
  if (parent !== null) return parent;
  const temporary = join(target, posix.dirname(path), `.${randomUUID()}.tmp`);
  try {
    const isLink = (await lstat(from)).isSymbolicLink();
    if (isLink) await symlink(relative(dirname(from), await realpath(from)), temporary);
    else await copyFile(from, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await rename(temporary, join(target, path));
    return null;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function linkOne({ repository, target }: CopyAndLinkInput, path: string): Promise<string | null> {
  const from = join(repository.root, path);
  const to = join(target, path);
  if (!(await staysInside(repository.root, from))) return 'it is a symlink out of the repository';
  const parent = await safeParent(target, path);
  if (parent !== null) return parent;
  const there = await lstat(to).catch(() => null);
  if (there?.isSymbolicLink() === true) {
    if ((await readlink(to)) === from) return null;
    await rm(to);
  } else if (there !== null) return 'something else lies there already';
  await symlink(from, to);
  return null;
}

/** A symlink inside what is copied (`node_modules/.bin`) is written anew, to the same place of the worktree: as it is, an absolute one would be a way out of it. One that leads out stays behind. */
async function staysInside(root: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => null);
  return real?.startsWith(root + sep) ?? false;
}

/** Makes the folders above a path; answers why it may not be written. */
async function safeParent(target: string, path: string): Promise<string | null> {
  const folder = posix.dirname(path);
  try {
    await assertNoSymlink(target, folder);
  } catch {
    return 'a folder above it is a symlink';
  }
  const last = await lstat(join(target, path)).catch(() => null);
  if (last?.isDirectory() === true) return 'a folder lies there already';
  await mkdir(dirname(join(target, path)), { recursive: true });
  return null;
}

/**
 * Finds what a repository knows about a linked worktree: its admin folder `<commonDir>/worktrees/<id>` (gitrepository-layout.txt).
 * Git chooses the id: the last part of the path, with a number where that is taken (builtin/worktree.c). Others are not read, for there is one for each run
 * that was kept. The worktree's own `.git` file is never asked: an agent can replace it.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { listForeignFolder, readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { readTextIfThere } from './read-ref.js';

/** Far above what a repository has; a folder of more counts as empty. */
const MAX_WORKTREES = 20_000;

const MAX_PATH_BYTES = 8192;

/** The admin folder whose worktree lies at `path`, or null. */
export async function findAdminDir(commonDir: string, path: string): Promise<string | null> {
  const usual = join(commonDir, 'worktrees', basename(path));
  if (await belongsTo(usual, path)) return usual;
  const own = (await listAdminDirs(commonDir)).filter((adminDir) => isNumbered(adminDir, usual));
  for (const adminDir of own) if (await belongsTo(adminDir, path)) return adminDir;
  return null;
}

/**
 * The admin folder to register a worktree in that the repository does not know: the usual one unless another worktree took it along, as by
 * `git worktree move`. Source: builtin/worktree.c, which numbers them too.
 */
export async function freeAdminDir(commonDir: string, path: string): Promise<string> {
  const usual = join(commonDir, 'worktrees', basename(path));
  for (let n = 0; ; n += 1) {
    const adminDir = n === 0 ? usual : `${usual}${n}`;
    if (!(await isInUse(adminDir))) return adminDir;
  }
}

/** Of every linked worktree that the repository knows. */
export async function listAdminDirs(commonDir: string): Promise<readonly string[]> {
  const entries = (await listForeignFolder(join(commonDir, 'worktrees'), { maxEntries: MAX_WORKTREES })) ?? [];
  return entries.map(({ name }) => join(commonDir, 'worktrees', name));
}

/** Whether git finished making an admin folder; it writes `commondir` and HEAD late and holds a lock meanwhile (builtin/worktree.c). */
export async function isComplete(adminDir: string): Promise<boolean> {
  const [commondir, head, locked] = await Promise.all(
    ['commondir', 'HEAD', 'locked'].map((name) => readTextIfThere(join(adminDir, name))),
  );
  return Boolean(commondir) && Boolean(head) && locked?.startsWith('initializing') !== true;
}

function isNumbered(adminDir: string, usual: string): boolean {
  return adminDir.startsWith(usual) && /^\d+$/.test(adminDir.slice(usual.length));
}

async function isInUse(adminDir: string): Promise<boolean> {
  // The caller refuses to write through it.
  if (lookAt(adminDir)?.isSymbolicLink() === true) return false;
  const dotGit = (await gitdirOf(adminDir)).trim();
  return dotGit !== '' && lookAt(resolve(adminDir, dotGit)) !== null;
}

async function belongsTo(adminDir: string, path: string): Promise<boolean> {
  if (lookAt(adminDir)?.isSymbolicLink() === true) return false;
  return resolve(adminDir, (await gitdirOf(adminDir)).replace(/\n$/, '')) === join(path, '.git');
}

/** The folder that an admin folder belongs to, as git wrote it: it may be relative to it (`worktree.useRelativePaths`). */
export async function readWorktreePath(adminDir: string): Promise<string> {
  return dirname(resolve(adminDir, (await gitdirOf(adminDir)).replace(/\n$/, '')));
}

/** One that cannot be read, or is larger than a path, names no worktree. */
async function gitdirOf(adminDir: string): Promise<string> {
  return textOf(await readForeignFile(join(adminDir, 'gitdir'), { maxBytes: MAX_PATH_BYTES, links: 'followed' })) ?? '';
}

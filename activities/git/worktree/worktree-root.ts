/**
 * Looks at the folder of a worktree before anything is read from it or written into it: an agent can remove it, or put a symlink or
 * somebody's folder in its place. What is found there is only ever renamed, never deleted, for it may be all that somebody has.
 * Nothing of the turn lives by then, so nothing races the look.
 */
import { realpathSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../../config/home/make-folder.js';
import { codeOf } from '../../../config/system/error-code.js';
import { listForeignFolder, readForeignFile } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { encodeBytes, joinBytes, parentOf } from '../start/byte-path.js';
import { WorktreeViolation } from '../start/worktree-violation.js';
import { makeFolderWritable } from './make-writable.js';

/** The path in it is shorter. */
export const MAX_GIT_FILE_BYTES = 8192;

export type RootReading =
  | { readonly kind: 'whole' }
  /** One clause for people. */
  | { readonly kind: 'destroyed'; readonly why: string };

/** Whether this is still the worktree that the engine made: a folder at its real place with a `.git` file of its own. */
export async function readRoot(worktree: string): Promise<RootReading> {
  const wrong = wrongPlace(worktree);
  if (wrong !== null) return { kind: 'destroyed', why: wrong };
  const own = await readForeignFile(join(worktree, '.git'), { maxBytes: MAX_GIT_FILE_BYTES });
  if (own.kind === 'read' && own.bytes.toString('utf8').startsWith('gitdir: ')) return { kind: 'whole' };
  return {
    kind: 'destroyed',
    why: `the .git file of the worktree is ${own.kind === 'absent' ? 'gone' : 'not its own'}`,
  };
}

/** Errors: `WorktreeViolation`. */
export function assertRealRoot(worktree: string): void {
  const wrong = wrongPlace(worktree);
  if (wrong !== null) throw new WorktreeViolation(wrong);
}

/**
 * Makes sure that a real folder lies at the path.
 * Effects: what is no folder is moved aside.
 * Errors: `WorktreeViolation` if a folder above it is a symlink.
 */
export async function mendRoot(worktree: string): Promise<void> {
  const found = lookAt(worktree);
  if (found !== null && !found.isDirectory()) await moveAside(worktree);
  makeFolder(worktree);
  assertRealRoot(worktree);
}

/** Takes what is not the engine's worktree out of the way, ignored files too: a clean would delete what may be somebody's. */
export async function clearDestroyed(worktree: string): Promise<void> {
  const found = lookAt(worktree);
  if (found === null) return;
  const isEmpty = found.isDirectory() && (await listForeignFolder(worktree, { maxEntries: 0 })) !== null;
  if (!isEmpty) await moveAside(worktree);
}

/**
 * Renames into `folder`, where people find it: `.<name>.found-<time>`; on another disk than that, beside itself. A part of a worktree is named
 * after the worktree and a plus sign, which no run id has. A folder is renamed only by who may write it.
 */
export async function moveAside(
  path: string | Buffer,
  folder = dirname(path.toString()),
  name = basename(path.toString()),
): Promise<void> {
  const aside = `.${name}.found-${Date.now()}`;
  const above = parentOf(path);
  for (const one of [above, path]) await makeFolderWritable(one);
  try {
    await rename(path, join(folder, aside));
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    await rename(path, joinBytes(above, encodeBytes(aside)));
  }
}

function wrongPlace(worktree: string): string | null {
  const found = lookAt(worktree);
  if (found === null) return 'the folder of the worktree is gone';
  if (found.isSymbolicLink()) return 'the folder of the worktree became a symlink';
  if (!found.isDirectory()) return 'the folder of the worktree became a file';
  return realpathSync.native(worktree) === worktree ? null : 'a folder above the worktree became a symlink';
}

/**
 * Gets git past named pipes in a work tree. It opens every `.gitignore` and `.gitattributes` on its way, and what makes a folder a nested
 * repository; where an agent left a FIFO in the place of one, it waits for a writer that never comes. Looked for only when git takes long.
 */
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listForeignFolder } from '../../../config/system/foreign-file.js';

const LOOK_AFTER_MS = 2_000;

/** Of one folder; a larger one is left to the time limit of git. */
const MAX_ENTRIES = 200_000;

const OPENED_BY_GIT: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules']);

/** Answers as `git` does. Effects: removes such pipes below the work tree, where nothing of a turn lives any more. */
export async function pastPipes<T>(workTree: string, git: Promise<T>): Promise<T> {
  let looking = Promise.resolve();
  const timer = setTimeout(() => {
    // An abort, or a machine without descriptors: git's own answer tells of it.
    looking = removePipes(workTree, false).catch(() => undefined);
  }, LOOK_AFTER_MS);
  try {
    return await git;
  } finally {
    clearTimeout(timer);
    await looking;
  }
}

/** One folder after the other: a work tree may have very many. */
async function removePipes(folder: string, isGitDir: boolean): Promise<void> {
  // What cannot be listed git cannot enter either.
  for (const entry of (await listForeignFolder(folder, { maxEntries: MAX_ENTRIES })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removePipes(path, isGitDir || entry.name === '.git');
    else if (entry.isFIFO() && (isGitDir || OPENED_BY_GIT.has(entry.name))) await removePipe(path);
  }
}

/** Opened before it is removed: a git that waits for a writer meets one, and reads the end of the file once it is closed. */
async function removePipe(path: string): Promise<void> {
  const pipe = await open(path, constants.O_RDWR | constants.O_NONBLOCK).catch(() => null);
  await rm(path, { force: true }).catch(() => undefined);
  await pipe?.close();
}

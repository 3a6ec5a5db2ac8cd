/** Reads files of a run folder, where an agent or anybody else can put anything. */
import { join } from 'node:path';
import { listForeignFolder, readForeignFile, textOf } from '../config/system/foreign-file.js';

/** **Unit** bytes. What the engine writes there is far below. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Null: nothing there, no regular file, not readable, or larger than `maxBytes`. */
export async function readRunFile(path: string, maxBytes = MAX_BYTES): Promise<string | null> {
  return readForeignFile(path, { maxBytes }).then(textOf, () => null);
}

/** A run has some hundred turns at most (`MAX_JOURNAL_EVENTS`). */
const MAX_TURNS = 5_000;

/** Their names; none where the folder cannot be read or holds what no run makes. */
export async function turnFoldersOf(runDir: string): Promise<readonly string[]> {
  const entries = await listForeignFolder(join(runDir, 'turns'), { maxEntries: MAX_TURNS }).catch(() => null);
  return entries?.map(({ name }) => name) ?? [];
}

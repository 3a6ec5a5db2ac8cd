/** Reads files of a run folder, where an agent or anybody else can put anything. */
import { join } from 'node:path';
import { listForeignFolder, readForeignFile, textOf } from '../../config/system/foreign-file.js';
import { isResultFileName } from '../../protocol/admission/result-file.js';

/** **Unit** bytes. What the engine writes there is far below. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Null: nothing there, no regular file, not readable, or larger than `maxBytes`. */
export async function readRunFile(path: string, maxBytes = MAX_BYTES): Promise<string | null> {
  return readForeignFile(path, { maxBytes }).then(textOf, () => null);
}

/** Of the folder of a run. */
const MAX_ENTRIES = 1_000;

/** The page about the task of a run. Null: it has none, or not yet. */
export async function readTaskResult(runDir: string): Promise<string | null> {
  const entries = await listForeignFolder(runDir, { maxEntries: MAX_ENTRIES }).catch(() => null);
  const found = entries?.find(({ name }) => isResultFileName(name));
  return found === undefined ? null : readRunFile(join(runDir, found.name));
}

/** A run has some hundred turns at most (`MAX_JOURNAL_EVENTS`). */
const MAX_TURNS = 5_000;

/** Their names; none where the folder cannot be read or holds what no run makes. */
export async function turnFoldersOf(runDir: string): Promise<readonly string[]> {
  const entries = await listForeignFolder(join(runDir, 'turns'), { maxEntries: MAX_TURNS }).catch(() => null);
  return entries?.map(({ name }) => name) ?? [];
}

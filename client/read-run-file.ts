/** Reads files of a run folder, where an agent or anybody else can put anything. */
import { readForeignFile, textOf } from '../config/foreign-file.js';

/** **Unit** bytes. What the engine writes there is far below. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Null: nothing there, no regular file, not readable, or larger than `maxBytes`. */
export async function readRunFile(path: string, maxBytes = MAX_BYTES): Promise<string | null> {
  return readForeignFile(path, { maxBytes }).then(textOf, () => null);
}

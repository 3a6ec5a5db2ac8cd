/**
 * Says in the folder of an item that it is closed, for whoever reads all folders to build the index. It is written by the word of the backlog and goes when the item goes on. A mark that
 * cannot be read is none: a hit of such a task is not believed by its backlog, which then says once more that it is closed.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, readForeignFileSync } from '../../../../config/system/foreign-file.js';
import { replaceFile } from '../../../../config/system/replace-file.js';
import type { ClosedItem } from '../../../../protocol/actors/task-dedup.js';
import { nameIn, timeIn } from '../../../../protocol/text/fields.js';
import { parseRecord } from '../../../../protocol/text/json.js';

const CLOSED_MARK_FILE = 'closed.json';

const MAX_BYTES = 4_096;

export type ClosedMark = Pick<ClosedItem, 'reason' | 'at'>;

/** Null: there is none that can be read. */
export function readClosedMark(folder: string): ClosedMark | null {
  const path = join(folder, CLOSED_MARK_FILE);
  // Most tasks have none: an error for each of them was a twelfth of what an index takes to build.
  if (!existsSync(path)) return null;
  const bytes = bytesOf(readForeignFileSync(path, { maxBytes: MAX_BYTES }));
  const fields = bytes === null ? null : parseRecord(bytes.toString('utf8'));
  const at = fields === null ? null : timeIn(fields, 'at');
  return fields === null || at === null ? null : { reason: nameIn(fields, 'reason'), at };
}

/** Errors: those of the system. */
export function writeClosedMark(folder: string, { reason, at }: ClosedMark): void {
  replaceFile(join(folder, CLOSED_MARK_FILE), `${JSON.stringify({ reason, at })}\n`, 'written');
}

/** Errors: those of the system. */
export function removeClosedMark(folder: string): void {
  rmSync(join(folder, CLOSED_MARK_FILE), { recursive: true, force: true });
}

/** Unit: ms. Source: S-12. */
const COMPARED_AFTER_MERGE_MS = 14 * 24 * 60 * 60_000;

/** Whether a closed task is compared still, since it may have done what the new one asks for. Source: S-12. */
export function isStillCompared({ reason, at }: ClosedMark, now: number): boolean {
  return reason === 'merged' && now - Date.parse(at) <= COMPARED_AFTER_MERGE_MS;
}

/** The text that a turn's agent ended with, kept beside its marks so that a later turn of the same run can quote it. */
import { join } from 'node:path';
import type { HomePaths } from '../../config/home/home.js';
import { readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import type { Place } from '../../protocol/run/place.js';
import { type Durability, writeMark } from '../process/marks.js';
import type { RunOnHost } from '../unit/run-record.js';

const TEXT_FILE = 'output.md';

/** Unit: bytes. A text is cut at a megabyte (`MAX_TEXT_BYTES`). */
const MAX_BYTES = 4 * 1024 * 1024;

export function writeTurnText(dir: string, text: string, durability: Durability): void {
  writeMark(join(dir, TEXT_FILE), text, durability);
}

/** Empty if that turn left none. */
export function readTurnText(home: HomePaths, run: RunOnHost, place: Place): string {
  const path = join(home.turnDir(run.record.repoKey, run.record.runId, place), TEXT_FILE);
  return textOf(readForeignFileSync(path, { maxBytes: MAX_BYTES })) ?? '';
}

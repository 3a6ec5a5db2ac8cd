/**
 * The first and the last mark of a place. `record.json` is the answer of a finished activity: whoever asks again gets it and nothing is done twice.
 * A record of another input is never an answer: it is moved aside, and the caller journals a policy violation.
 */
import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Durability, readJson, writeMark } from '../process/marks.js';

const RECORD_FILE = 'record.json';

export interface PlaceFolder {
  readonly dir: string;
  readonly inputHash: string;
  readonly durability: Durability;
}

export type RecordReading<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'none' }
  | { readonly kind: 'moved_aside' };

/** The journal batch is left out: it says what was known, not what is asked. */
export function hashOfInput(input: object): string {
  const { journal: _journal, ...asked }: { journal?: unknown } = { ...input };
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

export async function openPlaceFolder(dir: string, inputHash: string, durability: Durability): Promise<PlaceFolder> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return { dir, inputHash, durability };
}

export function readRecord<T>(place: PlaceFolder): RecordReading<T> {
  return readMark(place, RECORD_FILE);
}

export function writeRecord<T>(place: PlaceFolder, value: T): void {
  writePlaceMark(place, RECORD_FILE, value);
}

/** Shape: marks hold `{inputHash, value}`; only the engine writes below the sluice home, so a matching hash vouches for the type. */
export function readMark<T>(place: PlaceFolder, name: string): RecordReading<T> {
  const path = join(place.dir, name);
  const mark = readJson(path);
  if (mark === null) return { kind: 'none' };
  if (mark['inputHash'] === place.inputHash && 'value' in mark) return { kind: 'answer', value: mark['value'] as T };
  renameSync(path, `${path}.stale-${Date.now()}`);
  return { kind: 'moved_aside' };
}

export function writePlaceMark<T>(place: PlaceFolder, name: string, value: T): void {
  writeMark(join(place.dir, name), JSON.stringify({ inputHash: place.inputHash, value }), place.durability);
}

/**
 * The first and the last mark of a place. `record.json` is the answer of a finished activity: whoever asks again gets it and nothing is done twice.
 * A record of another input is never an answer: it is moved aside, and the caller journals a policy violation. Nor is a mark of a turn that does
 * not carry its seal, the hash of the agent's exit: a live agent knows the input's hash, but not the exit that the guard will write.
 */
import { createHash } from 'node:crypto';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { bytesOf, readForeignFileSync } from '../../config/system/foreign-file.js';
import type { Place } from '../../protocol/run/place.js';
import { type Durability, EXIT_FILE, MAX_MARK_BYTES, readExit, readJson, writeMark } from '../process/marks.js';

export const RECORD_FILE = 'record.json';
export const OUTCOME_FILE = 'outcome.json';

const STALE = '.stale-';

type SealedMark = typeof RECORD_FILE | typeof OUTCOME_FILE;

export interface PlaceFolder extends Place {
  readonly dir: string;
  readonly inputHash: string;
  readonly durability: Durability;
}

export type RecordReading<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'none' }
  | { readonly kind: 'moved_aside' };

export async function openPlaceFolder(
  dir: string,
  input: { readonly place: Place },
  durability: Durability,
): Promise<PlaceFolder> {
  makeFolder(dir);
  return { ...input.place, dir, inputHash: hashOfInput(input), durability };
}

/** Shape: marks hold `{inputHash, value}`; only the engine writes below the sluice home, so a matching hash vouches for the type. */
export function readMark<T>(place: PlaceFolder, name: string): RecordReading<T> {
  return readWhere(place, name, () => true);
}

export function writePlaceMark<T>(place: PlaceFolder, name: string, value: T): void {
  writeMark(join(place.dir, name), JSON.stringify({ inputHash: place.inputHash, value }), place.durability);
}

/** The SHA-256 of the exit.json that ended the place's own command; null while there is none, or one after which the command starts again. */
export function exitSeal({ dir, token, inputHash }: Pick<PlaceFolder, 'dir' | 'token' | 'inputHash'>): string | null {
  const exit = readExit(dir);
  if (exit === null || exit.token !== token || exit.inputHash !== inputHash) return null;
  if (exit.reason === 'interrupted' || exit.reason === 'aborted') return null;
  const bytes = bytesOf(readForeignFileSync(join(dir, EXIT_FILE), { maxBytes: MAX_MARK_BYTES }));
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
}

/** Without a seal no mark is true: what lies there was written before the command ended. */
export function readSealedMark<T>(place: PlaceFolder, name: SealedMark): RecordReading<T> {
  const seal = exitSeal(place);
  return readWhere(place, name, (mark) => seal !== null && mark['exit'] === seal);
}

/** Nothing was done where no command has ended: none is written, and whoever asks again gets the question decided again. */
export function writeSealedMark<T>(place: PlaceFolder, name: SealedMark, value: T): void {
  const seal = exitSeal(place);
  if (seal === null) return;
  writeMark(join(place.dir, name), JSON.stringify({ inputHash: place.inputHash, exit: seal, value }), place.durability);
}

/** Also those that an earlier attempt moved: it may have died before it could say so. */
export function hasStaleMarks(place: PlaceFolder): boolean {
  return readdirSync(place.dir).some((name) =>
    [RECORD_FILE, OUTCOME_FILE].some((mark) => name.startsWith(`${mark}${STALE}`)),
  );
}

/** The journal batch is left out: it says what was known, not what is asked. */
function hashOfInput(input: object): string {
  const { journal: _journal, ...asked }: { journal?: unknown } = { ...input };
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

function readWhere<T>(
  place: PlaceFolder,
  name: string,
  holds: (mark: Record<string, unknown>) => boolean,
): RecordReading<T> {
  const path = join(place.dir, name);
  const mark = readJson(path);
  if (mark === null) return { kind: 'none' };
  if (mark['inputHash'] === place.inputHash && holds(mark) && 'value' in mark)
    return { kind: 'answer', value: mark['value'] as T };
  renameSync(path, `${path}${STALE}${Date.now()}`);
  return { kind: 'moved_aside' };
}

/**
 * Says beside a folder of the engine's own whose it is and what it was begun for: a folder with one file, which bears its owner's name. It is begun by one
 * rename and taken over by one, so that of two at once one wins, and a kill leaves the mark of one owner or none.
 * Not promised: anything against code of the same user, which can write here too.
 */
import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../../config/home/make-folder.js';
import { codeOf } from '../../../config/system/error-code.js';
import { listForeignFolder, readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { replaceFile } from '../../../config/system/replace-file.js';

export interface Ownership {
  /** The first execution of a workflow. */
  readonly owner: string;
  /** What the folder was begun for. */
  readonly purpose: string;
}

/** Null: nobody's. `broken`: not as the engine makes one. */
export type OwnerMark = Ownership | 'broken' | null;

/** A commit and a path, JSON-escaped. */
const MAX_PURPOSE_BYTES = 32 * 1024;

/** A file whose name is no UTF-8 is never found under the name that it is listed with. */
const MAX_LOOKS = 10;

/** Somebody else's mark is there already, or what is no mark. */
const TAKEN: ReadonlySet<string | null> = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);

/** No run id begins with a dot, so no run has this name. */
export function ownerMarkOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.owner`);
}

export async function readOwner(path: string): Promise<OwnerMark> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const found = await lookOnce(ownerMarkOf(path));
    if (found !== 'gone_since') return found;
  }
  return 'broken';
}

async function lookOnce(mark: string): Promise<OwnerMark | 'gone_since'> {
  const found = lookAt(mark);
  if (found === null) return null;
  const entries = found.isDirectory() ? await listForeignFolder(mark, { maxEntries: 1 }) : null;
  if (entries === null) return 'broken';
  const [entry] = entries;
  // A removal that was killed.
  if (entry === undefined) return null;
  const reading = await readForeignFile(join(mark, entry.name), { maxBytes: MAX_PURPOSE_BYTES });
  // Taken over since it was listed.
  if (reading.kind === 'absent') return 'gone_since';
  const purpose = textOf(reading);
  return purpose === null ? 'broken' : { owner: entry.name, purpose };
}

/** Makes the mark where there is none. Answers the one that stands there afterwards. */
export async function beginOwning(path: string, { owner, purpose }: Ownership): Promise<OwnerMark> {
  const mark = ownerMarkOf(path);
  const temporary = `${mark}.${randomUUID()}`;
  makeFolder(temporary);
  try {
    replaceFile(join(temporary, fileNameOf(owner)), purpose);
    await rename(temporary, mark);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!TAKEN.has(codeOf(error))) throw error;
  }
  return readOwner(path);
}

/** Compare and swap: nothing changes unless the folder is `from`'s. Answers the mark that stands there afterwards. */
export async function takeOver(path: string, from: string, to: string): Promise<OwnerMark> {
  const found = await readOwner(path);
  if (found === null || found === 'broken') return found;
  const fileOf = (owner: string) => join(ownerMarkOf(path), fileNameOf(owner));
  await rename(fileOf(from), fileOf(to)).catch((error: unknown) => {
    // It is another owner's, or another was first.
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  return readOwner(path);
}

/** Why the folder is not this owner's to write in, a clause for people; null: it is. */
export function whyForeign(mark: OwnerMark, { owner, purpose }: Ownership): string | null {
  if (mark === null || mark === 'broken') return 'what says whose it is was changed';
  if (mark.owner !== owner) return 'it belongs to another workflow';
  return mark.purpose === purpose ? null : 'it was begun from another commit or repository';
}

/** Whether it belongs to another by now: a later run of the same item took it over. */
export async function isAnothers(path: string, owner: string): Promise<boolean> {
  const mark = await readOwner(path);
  return mark !== null && mark !== 'broken' && mark.owner !== owner;
}

export async function dropOwner(path: string): Promise<void> {
  await rm(ownerMarkOf(path), { recursive: true, force: true });
}

function fileNameOf(owner: string): string {
  if (!/^[\w-]{1,64}$/.test(owner)) throw new Error(`not an owner: ${owner}`);
  return owner;
}

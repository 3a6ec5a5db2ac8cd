/**
 * Gives a task its number: a folder that is made whole under a name of its own and takes its number by one rename, which only one can win. The same key finds the same number again,
 * whatever was killed in between. A number may be skipped, and none is given twice. Source: S-05, S-06.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { codeOf } from '../../config/system/error-code.js';
import { bytesOf, readForeignFileSync } from '../../config/system/foreign-file.js';
import { replaceFile } from '../../config/system/replace-file.js';
import { isItemId } from '../../protocol/actors/item-id.js';
import type { HostDeps } from '../unit/host-deps.js';
import { hashOf, ITEM_RECORD_FILE, type ItemRecord, type KeptItem, readItem } from '../unit/item-record.js';
import { type ClosedMark, readClosedMark, removeClosedMark, writeClosedMark } from './dedup/index/closed-mark.js';

/** Which number each key has. */
export const KEYS_FOLDER = 'keys';

export interface NumberedItem extends KeptItem {
  readonly id: string;
  /** It had its number before. */
  readonly isKnown: boolean;
}

function keysIn(dir: string): string {
  return join(dir, KEYS_FOLDER);
}

type StoreDeps = Pick<HostDeps, 'durability' | 'failpoint'>;

/** The items of one repository, on this host. One admission at a time is at work in it, but a number is nobody else's even where two are. */
export class ItemStore {
  private readonly keysDir: string;
  /** The highest number that is taken, as far as this store has seen. */
  private newest: number;

  private constructor(
    private readonly dir: string,
    private readonly deps: StoreDeps,
    names: readonly string[],
  ) {
    this.keysDir = keysIn(dir);
    this.newest = this.mendKeys(names);
  }

  /** Lists the folders once, beside the loop: ten thousand take it some milliseconds. */
  static async open(dir: string, deps: StoreDeps): Promise<ItemStore> {
    makeFolder(keysIn(dir));
    return new ItemStore(dir, deps, await readdir(dir));
  }

  /** 0: there is no task yet. */
  get highest(): number {
    return this.newest;
  }

  /** Null: no task has come under it. */
  find(key: string): NumberedItem | null {
    const bytes = bytesOf(readForeignFileSync(this.keyFile(key), { maxBytes: 100 }));
    const id = bytes?.toString('utf8').trim() ?? '';
    const kept = isItemId(id) ? readItem(join(this.dir, id)) : null;
    return kept === null || kept.record.key !== key ? null : { ...kept, id, isKnown: true };
  }

  /** Null: no task has that number. */
  read(id: string): NumberedItem | null {
    const kept = isItemId(id) ? readItem(join(this.dir, id)) : null;
    return kept === null ? null : { ...kept, id, isKnown: true };
  }

  /** `above`: the highest number that is known elsewhere. Where another process took its key in meanwhile, it is that one. Effects: one folder, and its key. */
  add(record: ItemRecord, above: number): NumberedItem {
    const known = this.find(record.key);
    if (known !== null) return known;
    const text = `${JSON.stringify(record)}\n`;
    const folder = join(this.dir, `.new-${randomUUID()}`);
    try {
      makeFolder(folder);
      replaceFile(join(folder, ITEM_RECORD_FILE), text, this.kept);
      if (record.dedup?.duplicate != null) writeClosedMark(folder, bornClosed(record));
      this.deps.failpoint('admit.after-texts');
      const id = this.takeNumber(folder, above);
      this.deps.failpoint('admit.after-number');
      this.noteKey(record.key, id);
      return { record, hash: hashOf(text), id, isKnown: false };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Of one that its backlog has not begun yet: what was found out about it is found out anew. */
  replace({ id }: Pick<NumberedItem, 'id'>, record: ItemRecord): NumberedItem {
    const folder = join(this.dir, id);
    const text = `${JSON.stringify(record)}\n`;
    replaceFile(join(folder, ITEM_RECORD_FILE), text, this.kept);
    if (record.dedup?.duplicate == null) removeClosedMark(folder);
    else writeClosedMark(folder, bornClosed(record));
    return { record, hash: hashOf(text), id, isKnown: false };
  }

  /** And nobody has reopened it. */
  isClosedAsDuplicate({ id }: Pick<NumberedItem, 'id'>): boolean {
    return readClosedMark(join(this.dir, id))?.reason === 'duplicate';
  }

  /** Null: no task has that number. */
  folderOf(id: string): string | null {
    const folder = join(this.dir, id);
    return isItemId(id) && existsSync(folder) ? folder : null;
  }

  private get kept(): 'flushed' | 'written' {
    return this.deps.durability === 'power' ? 'flushed' : 'written';
  }

  private takeNumber(folder: string, above: number): string {
    for (let number = Math.max(above, this.newest) + 1; ; number += 1) {
      const id = String(number);
      this.deps.failpoint('admit.before-number');
      try {
        renameSync(folder, join(this.dir, id));
        this.newest = number;
        return id;
      } catch (error) {
        // Source: rename(2), of a folder that is there and not empty.
        if (!['ENOTEMPTY', 'EEXIST'].includes(String(codeOf(error)))) throw error;
      }
    }
  }

  /** What died after it took a number left no key: those are the newest. Answers the highest. */
  private mendKeys(names: readonly string[]): number {
    const numbers = names.filter(isItemId).map(Number);
    const highest = highestOf(numbers, Infinity);
    // Mostly the first has one: to put ten thousand in order for it takes longer than all else here.
    for (let number = highest; number > 0; number = highestOf(numbers, number)) {
      const id = String(number);
      const kept = readItem(join(this.dir, id));
      if (kept === null) continue;
      if (existsSync(this.keyFile(kept.record.key))) break;
      this.noteKey(kept.record.key, id);
    }
    return highest;
  }

  private noteKey(key: string, id: string): void {
    replaceFile(this.keyFile(key), id, this.kept);
  }

  private keyFile(key: string): string {
    return join(this.keysDir, hashOf(key));
  }
}

/** Of those below. 0: there is none. */
function highestOf(numbers: readonly number[], below: number): number {
  return numbers.reduce((highest, one) => (one < below && one > highest ? one : highest), 0);
}

function bornClosed({ createdAt }: ItemRecord): ClosedMark {
  return { reason: 'duplicate', at: createdAt };
}

/**
 * A text that grows in the folder of a turn: `live.md`. Each of its bytes stands at its own place, so that attempts that write it one after the other, or at once,
 * write the same file. What stands there already and is not how the text begins stays as it is, and so does a file with a second name, which may be one of the
 * person's: then `live.2.md` is written, and so on. A link, folder or FIFO is moved aside, as everywhere in the folder of a run. Nothing is flushed.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, writeSync } from 'node:fs';
import { join } from 'node:path';
import { liveName, MAX_LIVE_FILES } from '../../protocol/messages/live-text.js';
import { kindOf, moveAside } from './clear-way.js';
import { ensureFolder, type WriteOptions } from './write-file.js';

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class LiveFile {
  private n = 1;
  /** Of the file that holds all of the text up to its end; it need not be read again. */
  private written: Pick<Stats, 'ino' | 'dev' | 'size'> | null = null;

  constructor(
    private readonly dir: string,
    private readonly options: Pick<WriteOptions, 'root' | 'aside'>,
  ) {}

  get isThere(): boolean {
    return lstatSync(join(this.dir, liveName(1)), { throwIfNoEntry: false }) !== undefined;
  }

  /** `text`: all of it, which only ever grows; `isWhole`: nothing follows. Errors: those of the file system; the next call goes on where this one ended. */
  write(text: Buffer, isWhole: boolean): void {
    ensureFolder(this.dir, this.options);
    for (; this.n <= MAX_LIVE_FILES; this.n += 1) {
      if (this.writeTo(join(this.dir, liveName(this.n)), text, isWhole)) return;
      this.written = null;
    }
  }

  /** False: what stands there is not ours. */
  private writeTo(path: string, text: Buffer, isWhole: boolean): boolean {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) moveAside(path, kindOf(found), this.options.aside);
    const file = openSync(path, FLAGS, 0o600);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.nlink > 1 || (isWhole && stat.size > text.length)) return false;
      if (!this.isWritten(stat) && !beginsAlike(file, stat.size, text)) return false;
      for (let at = stat.size; at < text.length; ) at += writeSync(file, text, at, text.length - at, at);
      this.written = stat.size > text.length ? null : { ino: stat.ino, dev: stat.dev, size: text.length };
      return true;
    } finally {
      closeSync(file);
    }
  }

  private isWritten({ ino, dev, size }: Stats): boolean {
    return this.written?.ino === ino && this.written.dev === dev && this.written.size === size;
  }
}

/** An attempt that is further may have written more than this one has. */
function beginsAlike(file: number, size: number, text: Buffer): boolean {
  const there = Buffer.allocUnsafe(Math.min(size, text.length));
  let filled = 0;
  while (filled < there.length) {
    const bytes = readSync(file, there, filled, there.length - filled, filled);
    if (bytes === 0) return false;
    filled += bytes;
  }
  return there.equals(text.subarray(0, filled));
}

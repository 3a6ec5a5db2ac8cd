/**
 * The one reader of foreign files: what an agent or a repository can write. It opens without waiting (a FIFO, a lease), takes regular files
 * alone, never more than its caller said, and block by block, so that the loop stays free and an abort ends it within one block.
 * A small file, as most are, is read at once: four trips to another thread and back cost twenty times what the reading does.
 * `npm run check` (tools/check-reads.ts) refuses any other way to open a file that it does not list with its reason.
 * A file system that holds up a single call (FUSE, a lost NFS) holds the process that reads: no reader of user space can end that.
 */
import { closeSync, constants, type Dirent, fstatSync, opendirSync, openSync, read, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endingSignal } from './ending-signal.js';
import { codeOf } from './error-code.js';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Unit: bytes of one read. It takes well under a millisecond from memory, and one seek from a disk. */
const BLOCK_BYTES = 256 * 1024;

/** Unit: bytes. What is read without leaving the loop. */
const AT_ONCE_BYTES = 64 * 1024;

/** Files, or entries of a folder, until the loop turns: whoever has a hundred thousand of them read holds up nobody else. */
const AT_ONCE = 256;

const readAt = promisify(read);

export interface Opening {
  /** A link in the file's own place; folders on the way may be links. Default: refused. */
  readonly links?: 'followed' | 'refused';
  /** Default: that of the work which reads (ending-signal.ts). */
  readonly signal?: AbortSignal;
}

export interface Bound extends Opening {
  /** Unit: bytes. A larger file is not taken in, nor one that grows past it meanwhile. */
  readonly maxBytes: number;
}

/** `refused`: a link, a folder, a device, a FIFO, or not ours to read; `error` is the system's, null where it could be opened. */
export type Reading =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** **Unit** bytes, as far as it was looked at. */
  | { readonly kind: 'too_large'; readonly size: number };

const ABSENT: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR']);

/** What `open` and `read` say of something that is no file of ours. EAGAIN: somebody holds a lease on it (fcntl(2)). Trouble of the host, such as EMFILE, is not among them. */
const REFUSED: ReadonlySet<string | null> = new Set([
  'EACCES',
  'EAGAIN',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENODEV',
  'ENXIO',
  'EOPNOTSUPP',
  'EPERM',
]);

/** **Errors** trouble of the host; the signal's reason. */
export async function readForeignFile(path: string, bound: Bound): Promise<Reading> {
  const opened = await openForeignFile(path, bound);
  if (opened.kind !== 'open') return opened;
  try {
    const { size } = opened.file;
    if (size > bound.maxBytes) return { kind: 'too_large', size };
    // One byte more than it has, to see that it grew meanwhile.
    const bytes =
      size < AT_ONCE_BYTES ? opened.file.headNow(size + 1) : await opened.file.piece({ from: 0, length: size + 1 });
    return bytes.length <= size ? { kind: 'read', bytes } : await readGrown(opened.file, bytes, bound);
  } finally {
    opened.file.close();
  }
}

/** For a path that has no `await`; `maxBytes` is then also what the loop is held for. **Errors** trouble of the host. */
export function readForeignFileSync(path: string, bound: Omit<Bound, 'signal'>): Reading {
  const opened = openNow(path, bound);
  if (opened.kind !== 'open') return opened;
  const { fd, size } = opened;
  try {
    return size > bound.maxBytes ? { kind: 'too_large', size } : readSyncUpTo(fd, size, bound.maxBytes);
  } finally {
    closeSync(fd);
  }
}

/** Its bytes, or null for whatever it is instead. */
export function bytesOf(reading: Reading): Buffer | null {
  return reading.kind === 'read' ? reading.bytes : null;
}

/** As `bytesOf`, as text. */
export function textOf(reading: Reading): string | null {
  return reading.kind === 'read' ? reading.bytes.toString('utf8') : null;
}

/** Opens a regular file for `work` and closes it again. Null: there is none to read. **Errors** those of `work`; trouble of the host. */
export async function withForeignFile<T>(
  path: string,
  opening: Opening,
  work: (file: ForeignFile) => Promise<T>,
): Promise<T | null> {
  const opened = await openForeignFile(path, opening);
  if (opened.kind !== 'open') return null;
  try {
    return await work(opened.file);
  } finally {
    opened.file.close();
  }
}

/** An open regular file of any size, of which only what is asked for comes into memory. */
export class ForeignFile {
  constructor(
    private readonly fd: number,
    /** **Unit** bytes, when it was opened. */
    readonly size: number,
    private readonly signal?: AbortSignal,
  ) {}

  /** What the first read gives of its head; for lengths that hold up nobody. */
  headNow(length: number): Buffer {
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, readSync(this.fd, buffer, 0, length, 0));
  }

  /** **Shape** shorter than asked for only at the end of the file. **Errors** the signal's reason. */
  async piece({ from, length }: { readonly from: number; readonly length: number }): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      this.signal?.throwIfAborted();
      const asked = Math.min(BLOCK_BYTES, length - filled);
      const { bytesRead } = await readAt(this.fd, buffer, filled, asked, from + filled);
      filled += bytesRead;
      if (bytesRead === 0 || (bytesRead < asked && isEnd(from + filled, this.size))) break;
    }
    return buffer.subarray(0, filled);
  }

  /** Gives `take` one block after the other, each only until it returns. Answers whether that was the whole file. **Errors** those of `take`; the signal's reason. */
  async blocks(maxBytes: number, take: (block: Buffer) => void | Promise<void>): Promise<boolean> {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    let position = 0;
    while (position < maxBytes) {
      this.signal?.throwIfAborted();
      const { bytesRead } = await readAt(this.fd, block, 0, Math.min(BLOCK_BYTES, maxBytes - position), position);
      if (bytesRead === 0) return true;
      position += bytesRead;
      await take(block.subarray(0, bytesRead));
    }
    return (await this.piece({ from: position, length: 1 })).length === 0;
  }

  close(): void {
    closeSync(this.fd);
  }
}

export interface Listing {
  readonly maxEntries: number;
  /** `latin1`: a character for each byte of a name, which may be no UTF-8. Default: utf8. */
  readonly encoding?: 'latin1';
  readonly signal?: AbortSignal;
}

/** By name, for whoever can make files makes a million of them. Null: no folder to read, or more than `maxEntries`. **Errors** trouble of the host; the signal's reason. */
export async function listForeignFolder(
  folder: string | Buffer,
  { maxEntries, encoding, signal = endingSignal() }: Listing,
): Promise<readonly Dirent[] | null> {
  signal?.throwIfAborted();
  await letOthers();
  const isBytes = encoding === 'latin1';
  const entries: Dirent[] = [];
  try {
    const open = isBytes
      ? // Where a disk does not tell of what kind an entry is, Node looks at both joined, which must be of one type: bytes. Its types lack that encoding.
        opendirSync(Buffer.from(folder), { bufferSize: AT_ONCE, encoding: 'buffer' as BufferEncoding })
      : opendirSync(folder, { bufferSize: AT_ONCE });
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        if (entries.length === maxEntries) return null;
        if (isBytes) entry.name = Buffer.from(entry.name).toString('latin1');
        if (entries.push(entry) % AT_ONCE !== 0) continue;
        await nextTurn();
        signal?.throwIfAborted();
      }
    } finally {
      open.closeSync();
    }
  } catch (error) {
    notOpened(error);
    return null;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Unopened = Exclude<Reading, { kind: 'read' }>;

async function openForeignFile(
  path: string,
  opening: Opening,
): Promise<{ readonly kind: 'open'; readonly file: ForeignFile } | Unopened> {
  const { signal = endingSignal() } = opening;
  signal?.throwIfAborted();
  await letOthers();
  const opened = openNow(path, opening);
  return opened.kind === 'open' ? { kind: 'open', file: new ForeignFile(opened.fd, opened.size, signal) } : opened;
}

function openNow(
  path: string,
  opening: Opening,
): { readonly kind: 'open'; readonly fd: number; readonly size: number } | Unopened {
  let fd: number;
  try {
    fd = openSync(path, flagsOf(opening));
  } catch (error) {
    return notOpened(error);
  }
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) return { kind: 'open', fd, size: stat.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return { kind: 'refused', error: null };
}

let calls = 0;

/** Of all readers of the process. */
async function letOthers(): Promise<void> {
  calls += 1;
  if (calls % AT_ONCE === 0) await nextTurn();
}

function flagsOf({ links = 'refused' }: Opening): number {
  return O_RDONLY | O_NONBLOCK | (links === 'refused' ? O_NOFOLLOW : 0);
}

/** **Errors** trouble of the host, which is thrown on. */
function notOpened(error: unknown): Unopened {
  const code = codeOf(error);
  if (ABSENT.has(code)) return { kind: 'absent' };
  if (REFUSED.has(code)) return { kind: 'refused', error };
  throw error;
}

/** A file that is written to, or one of /proc, has more than its size says. */
async function readGrown(file: ForeignFile, first: Buffer, { maxBytes }: Bound): Promise<Reading> {
  const parts = [first];
  let total = first.length;
  while (total <= maxBytes) {
    const part = await file.piece({ from: total, length: Math.min(BLOCK_BYTES, maxBytes + 1 - total) });
    if (part.length === 0) return { kind: 'read', bytes: Buffer.concat(parts) };
    parts.push(part);
    total += part.length;
  }
  return { kind: 'too_large', size: total };
}

/** After a read that was short. Asking again would cost each small file a call of the system; those of /proc have no size, and short reads in their middle. */
function isEnd(position: number, size: number): boolean {
  return size > 0 && position >= size;
}

function readSyncUpTo(fd: number, size: number, maxBytes: number): Reading {
  let buffer = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  for (;;) {
    const asked = buffer.length - filled;
    const bytesRead = readSync(fd, buffer, filled, asked, filled);
    filled += bytesRead;
    if (filled > maxBytes) return { kind: 'too_large', size: filled };
    if (bytesRead === 0 || (bytesRead < asked && isEnd(filled, size)))
      return { kind: 'read', bytes: buffer.subarray(0, filled) };
    if (filled === buffer.length)
      buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.min(BLOCK_BYTES, maxBytes + 1 - filled))]);
  }
}

/**
 * Reads files of a run folder, where an agent or anybody else can put anything: never waits for a FIFO, never follows a link in a file's
 * place, never takes in a flood. Folders on the way may be links: a person may keep theirs elsewhere.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** **Unit** bytes. What the engine writes there is far below. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Null: nothing there, no regular file, not readable, or larger than `maxBytes`. */
export async function readRunFile(path: string, maxBytes = MAX_BYTES): Promise<string | null> {
  return withRunFile(path, async (file) => {
    const { size } = await file.stat();
    // One byte more than it has, to see that it grew meanwhile.
    const bytes = size > maxBytes ? null : await readPiece(file, { from: 0, length: size + 1 });
    return bytes === null ? null : bytes.toString('utf8');
  });
}

/** Opens a regular file for `work` and closes it again. Null: as of `readRunFile`, or where reading failed. */
export async function withRunFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T | null> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    return (await file.stat()).isFile() ? await work(file) : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

export interface Piece {
  readonly from: number;
  /** **Unit** bytes. */
  readonly length: number;
}

/** Shape: shorter than asked for only at the end of the file. */
export async function readPiece(file: FileHandle, { from, length }: Piece): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

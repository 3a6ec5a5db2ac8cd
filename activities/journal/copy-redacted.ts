/**
 * Copies a raw output file into the run directory, redacted on the way, in constant memory: no more than its bound, however large a command made it,
 * and a hole as a hole, so that a file of nothing costs nothing. An abort ends it within one block. Bytes that are no UTF-8 become U+FFFD.
 */
import { ftruncateSync, writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { type ForeignFile, withForeignFile } from '../../config/system/foreign-file.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import { type WriteOptions, writeFileWith } from './write-file.js';

/** Unit: bytes. A power of two times the blocks of every file system. */
const HOLE_BYTES = 256 * 1024;

const ZEROS = Buffer.alloc(HOLE_BYTES);

export interface RedactedCopy {
  readonly write: WriteOptions;
  /** Of the run. */
  readonly redactor: Redactor;
  /** Unit: bytes of the source; what lies beyond is left out. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Effects: one file by temp file and rename; a repeat writes the same. Errors: plain Error where the source is no regular file; the signal's reason. */
export async function copyRedacted(
  source: string,
  target: string,
  { write, redactor, maxBytes, signal }: RedactedCopy,
): Promise<void> {
  const copied = await withForeignFile(source, signal === undefined ? {} : { signal }, async (file) => {
    await writeFileWith(target, write, (to) => copy(file, maxBytes, new SparseText(to, redactor)));
    return true;
  });
  if (copied === null) throw new Error('its output is no regular file');
}

async function copy(from: ForeignFile, maxBytes: number, to: SparseText): Promise<void> {
  await from.blocks(maxBytes, (block) => (block.equals(ZEROS) ? to.skip(block.length) : to.add(block)));
  to.end();
}

/** A text that is written from the start of a file, with holes in it. No secret has a zero byte, so none reaches over a hole. */
class SparseText {
  private position = 0;
  // It holds back the half of a character at the end of a block.
  private decoder = new StringDecoder('utf8');
  private stream;

  constructor(
    private readonly file: number,
    private readonly redactor: Redactor,
  ) {
    this.stream = redactor.stream();
  }

  add(block: Buffer): void {
    this.write(this.stream.push(this.decoder.write(block)));
  }

  skip(bytes: number): void {
    this.flush();
    this.position += bytes;
  }

  end(): void {
    this.flush();
    ftruncateSync(this.file, this.position);
  }

  private flush(): void {
    this.write(this.stream.push(this.decoder.end()) + this.stream.end());
    this.stream = this.redactor.stream();
  }

  private write(text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.file, bytes, written, bytes.length - written, this.position + written);
    }
    this.position += bytes.length;
  }
}

/** Copies a raw output file of any size into the run directory, redacted on the way, in constant memory. Bytes that are no UTF-8 become U+FFFD. */
import { closeSync, constants, openSync, readSync, writeFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as rest } from 'node:timers/promises';
import type { StreamRedactor } from '../../protocol/redact.js';
import type { Redactor } from '../../protocol/value-redactor.js';
import { type WriteOptions, writeFileWith } from './write-file.js';

const CHUNK_BYTES = 256 * 1024;

export interface RedactedCopy {
  readonly write: WriteOptions;
  /** Of the run. */
  readonly redactor: Redactor;
}

/** Effects: one file by temp file and rename; a repeat writes the same. Errors: ENOENT where the source is missing. */
export async function copyRedacted(source: string, target: string, { write, redactor }: RedactedCopy): Promise<void> {
  const from = openSync(source, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    await writeFileWith(target, write, (to) => copy(from, to, redactor.stream()));
  } finally {
    closeSync(from);
  }
}

async function copy(from: number, to: number, redactor: StreamRedactor): Promise<void> {
  // It holds back the half of a character at the end of a chunk.
  const decoder = new StringDecoder('utf8');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let bytes = readSync(from, chunk); bytes > 0; bytes = readSync(from, chunk)) {
    writeFileSync(to, redactor.push(decoder.write(chunk.subarray(0, bytes))));
    // A flood of output must not keep heartbeats waiting.
    if (bytes === CHUNK_BYTES) await rest();
  }
  writeFileSync(to, redactor.push(decoder.end()) + redactor.end());
}

/**
 * What a command printed, short enough for a prompt or a finding: head and tail, errors first, without secrets and control characters.
 * Read from the raw files below the sluice home, of any size, in constant memory.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { cutMarker, cutMiddle, wholeHead, wholeTail } from '../../config/system/cut-middle.js';
import { printable } from '../../protocol/text/printable.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import type { ExitRecord } from '../process/contract.js';

/** Read beyond each cut and thrown away after redaction: half a token has no shape. */
const MARGIN_BYTES = 16 * 1024;

const SEPARATOR = '\n';

export interface Excerpt {
  /** Unit: bytes of UTF-8. */
  readonly maxBytes: number;
  /** Of the run. */
  readonly redactor: Redactor;
}

/** Empty where the command printed nothing, or its output is gone. */
export function commandExcerpt(
  { stdout, stderr }: Pick<ExitRecord, 'stdout' | 'stderr'>,
  { maxBytes, redactor }: Excerpt,
): string {
  const half = Math.floor(maxBytes / 2);
  const errors = excerptOf(stderr, { maxBytes, redactor });
  const left = Math.max(half, maxBytes - Buffer.byteLength(errors) - 1);
  const output = excerptOf(stdout, { maxBytes: left, redactor });
  if (errors === '' || output === '') return `${errors}${output}`;
  return `${cutMiddle(errors, maxBytes - Buffer.byteLength(output) - 1)}${SEPARATOR}${output}`;
}

function excerptOf(path: string, { maxBytes, redactor }: Excerpt): string {
  const clean = (text: string) => printable(redactor.text(text));
  const ends = readEnds(path, Math.floor(maxBytes / 2) + MARGIN_BYTES);
  if (ends === null) return '';
  if (ends.leftOut === 0) return cutMiddle(clean(ends.head), maxBytes).trim();
  const kept = Math.max(0, Math.floor(maxBytes / 2) - MARKER_BYTES);
  const head = wholeHead(Buffer.from(clean(ends.head)).subarray(0, kept));
  const tail = Buffer.from(clean(ends.tail));
  return `${head}${cutMarker(ends.leftOut)}${wholeTail(tail.subarray(Math.max(0, tail.length - kept)))}`.trim();
}

/** Of the marker, which stands in the middle. */
const MARKER_BYTES = 32;

interface Ends {
  /** The whole file where nothing is left out. */
  readonly head: string;
  readonly tail: string;
  /** Roughly: margins are left out too. Unit: bytes. */
  readonly leftOut: number;
}

function readEnds(path: string, each: number): Ends | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // It is for people and prompts only: the command's end is what counts.
    return null;
  }
  try {
    const { size } = fstatSync(file);
    if (size <= 2 * each) return { head: read(file, 0, size).toString('utf8'), tail: '', leftOut: 0 };
    const tail = wholeTail(read(file, size - each, each));
    return { head: wholeHead(read(file, 0, each)), tail, leftOut: size - 2 * (each - MARGIN_BYTES) };
  } finally {
    closeSync(file);
  }
}

function read(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, position));
}

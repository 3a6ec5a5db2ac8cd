/**
 * The events of an events.jsonl that grows, each told once and in order, read in pieces up to a limit: anybody can have made it huge.
 * A file that became shorter, or has other bytes where its last line stood, is told again from where it differs. What cannot be read is not there.
 */

import { type ForeignFile, withForeignFile } from '../../config/system/foreign-file.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { parseRecord } from '../../protocol/text/json.js';

/** **Unit** bytes. A line that does not fit into one piece is no event. */
const PIECE_BYTES = 1024 * 1024;
/** **Unit** bytes. A run ends at 2 000 events, of at most some KiB each. */
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

/** What is told beside the events where the limit was reached. */
export const CUT_JOURNAL = `events.jsonl is longer than ${MAX_JOURNAL_BYTES / 1024 / 1024} MiB; its rest was not read.`;

/** One line of events.jsonl, or null for a torn or foreign one. */
function parseEvent(line: string): JournalEvent | null {
  const value = parseRecord(line);
  if (value === null || typeof value['seq'] !== 'number' || typeof value['type'] !== 'string') return null;
  const { message, timestamp, data } = value;
  if (typeof message !== 'string' || typeof timestamp !== 'string' || typeof data !== 'object' || data === null)
    return null;
  return value as unknown as JournalEvent; // Every field was looked at; an unknown type is shown by its message.
}

const NO_BYTES = Buffer.alloc(0);

export class JournalTail {
  /** The file is longer than the limit, and its rest was left unread. */
  isCut = false;
  private offset = 0;
  private seen: string[] = [];
  /** The bytes of the last line before `offset`, or of its end: a file that was cut and grew again since the last look has others there. */
  private last = NO_BYTES;
  /** The lines before the file was begun again; it may be seen empty in between. */
  private before: readonly string[] = [];
  /** Inside a line that is longer than a piece. */
  private skipping = false;

  constructor(
    private readonly file: string,
    /** **Unit** bytes. */
    private readonly maxBytes = MAX_JOURNAL_BYTES,
  ) {}

  /** Tells what is there now. Errors: those of `tell`. */
  async read(tell: (event: JournalEvent) => void): Promise<void> {
    for (let lines = await this.nextLines(); lines !== null; lines = await this.nextLines()) {
      const known = this.seen.length;
      const fresh = lines.filter((line, index) => this.before[known + index] !== line);
      // Not as arguments of one call: a piece of empty lines has more of them than the stack takes.
      for (const line of lines) this.seen.push(line);
      for (const event of fresh.map(parseEvent)) if (event !== null) tell(event);
    }
  }

  /** Null at the end, or where only a torn line is left. */
  private async nextLines(): Promise<readonly string[] | null> {
    const piece = withForeignFile(this.file, {}, async (file) => {
      const { size } = file;
      if (!(await this.isAsTold(file))) this.startAgain();
      this.isCut = size > this.maxBytes;
      const length = Math.min(PIECE_BYTES, Math.min(size, this.maxBytes) - this.offset);
      return file.piece({ from: this.offset, length: Math.max(0, length) });
    });
    const bytes = await piece.catch(() => null);
    if (bytes === null) this.startAgain();
    return bytes === null || bytes.length === 0 ? null : this.linesOf(bytes);
  }

  private async isAsTold(file: ForeignFile): Promise<boolean> {
    const { length } = this.last;
    return this.last.equals(await file.piece({ from: this.offset - length, length }));
  }

  private startAgain(): void {
    this.before = this.seen.length > 0 ? this.seen : this.before;
    this.offset = 0;
    this.seen = [];
    this.last = NO_BYTES;
    this.skipping = false;
  }

  private linesOf(bytes: Buffer): readonly string[] | null {
    // A line ends in a newline byte, which is part of no other UTF-8 character; the torn rest stays for the next look.
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end === 0 && !this.skipping && bytes.length < PIECE_BYTES) return null;
    const start = this.skipping ? bytes.indexOf(0x0a) + 1 : 0;
    this.skipping = end === 0;
    const read = bytes.subarray(0, end === 0 ? bytes.length : end);
    this.offset += read.length;
    this.last = Buffer.from(read.subarray(read.lastIndexOf(0x0a, -2) + 1));
    return end === 0 ? [] : bytes.subarray(start, end).toString('utf8').split('\n').slice(0, -1);
  }
}

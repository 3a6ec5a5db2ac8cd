/**
 * Reads what a CLI printed as JSON lines, line by line, in memory that does not grow with the file. Whatever stands there is an answer:
 * a line that is no JSON object, or is longer than `MAX_LINE_BYTES`, is passed over.
 */
import { withForeignFile } from '../../../config/system/foreign-file.js';
import { parseRecord } from '../../../protocol/text/json.js';

export type JsonEvent = Readonly<Record<string, unknown>>;

/** Of the file that are read; what follows is passed over. Far above any `limits.outputBytes` that somebody needs, at which the guard ends the program. Unit: bytes. */
const MAX_STREAM_BYTES = 4 * 1024 * 1024 * 1024;

/** A CLI puts a whole tool result, a file say, into one line; none that decides is near this. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Answers how many lines were too long. Errors: those of reading the file; what `take` throws. */
export async function readJsonLines(path: string, take: (event: JsonEvent) => void): Promise<number> {
  const lines = new JsonLines(take);
  await withForeignFile(path, {}, (file) => file.blocks(MAX_STREAM_BYTES, (block) => lines.add(block)));
  lines.end();
  return lines.tooLong;
}

/** The events of JSON lines that come in blocks. */
export class JsonLines {
  /** Lines that were too long. */
  tooLong = 0;
  private readonly line = new OpenLine();

  constructor(private readonly take: (event: JsonEvent) => void) {}

  /** Errors: what `take` throws. */
  add(block: Buffer): void {
    let from = 0;
    for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, from)) {
      this.line.add(block.subarray(from, at));
      this.close();
      from = at + 1;
    }
    this.line.add(block.subarray(from));
  }

  /** The last line may have no newline. */
  end(): void {
    if (!this.line.isEmpty) this.close();
  }

  private close(): void {
    const text = this.line.close();
    if (text === null) this.tooLong += 1;
    const event = text === null ? null : jsonObjectOf(text);
    if (event !== null) this.take(event);
  }
}

/** The line whose end has not been read yet. */
export class OpenLine {
  private parts: Buffer[] = [];
  private bytes = 0;

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  add(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > MAX_LINE_BYTES) this.parts = [];
    // The chunk is read into again.
    else if (part.length > 0) this.parts.push(Buffer.from(part));
  }

  /** Null: it was too long. */
  close(): string | null {
    const text = this.bytes > MAX_LINE_BYTES ? null : Buffer.concat(this.parts).toString('utf8');
    this.parts = [];
    this.bytes = 0;
    return text;
  }
}

/** Source: measured, 8 MB of `[[[…` or `{},{},…` hold the thread for seconds and a quarter of a gigabyte. No event that decides has a hundredth of these. */
const MAX_VALUES = 200_000;

/** Null: the line is none, or of more values than an event has. */
export function jsonObjectOf(text: string): JsonEvent | null {
  if (text.length > MAX_VALUES && hasTooMany(text)) return null;
  return parseRecord(text);
}

/** Counts what begins a value, outside of texts. */
function hasTooMany(text: string): boolean {
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (isText) {
      if (char === BACKSLASH) at += 1;
      else if (char === QUOTE) isText = false;
    } else if (char === QUOTE) isText = true;
    else if (OPENERS.has(char)) {
      values += 1;
      if (values > MAX_VALUES) return true;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Of `,`, `[` and `{`. */
const OPENERS: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/**
 * `events.jsonl`: the journal's projection, one redacted JSON object a line, numbered from 1 without gaps. Never read back as control.
 * The file is only ever extended. What is cut: the torn beginning of a line, and lines that two processes wrote at once. After a reset the tail
 * that disagrees moves into `events.<n>.jsonl`. Every append mends what the one before left when it was killed, at any byte.
 */
import { constants, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../config/system/error-code.js';
import { bytesOf, ForeignFile, readForeignFile } from '../../config/system/foreign-file.js';
import { createSerializer } from '../../config/system/serialize.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { EVENT_TYPES, type EventType, type JournalEvent } from '../../protocol/messages/journal.js';
import type { JsonObject } from '../../protocol/text/json.js';
import { isRecord, parseRecord } from '../../protocol/text/json.js';
import { type Redactor, SHAPES_ONLY } from '../../protocol/text/value-redactor.js';
import { kindOf, moveAside, UnsafePathError } from './clear-way.js';
import { ensureFolder, ignoreCode, syncFolder, type WriteOptions, writeFileAtomic } from './write-file.js';

export interface AppendOptions extends WriteOptions {
  readonly failpoint: Failpoint;
  /** Of the run. Without one only secrets of known shapes are found. */
  readonly redactor?: Redactor;
}

/** `lastSeq` is that of the whole journal as the batch's sender knows it: the `seq` of its view. */
export interface AppendBatch {
  readonly events: readonly JournalEvent[];
  readonly lastSeq: number;
  /** The sender's history may be one that a reset has left: nothing of it is written. */
  readonly mayBeLeft?: boolean;
}

export interface AppendResult {
  /** The last seq that the file holds, at most `lastSeq`. */
  readonly seq: number;
  /** `newest`: the file ends with what the sender knows. `late`: it holds more. `left`: the batch may be left and has what the file lacks. */
  readonly batch: 'newest' | 'late' | 'left';
}

/** The journal of a full run is far smaller; a file beyond this is not ours. */
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

const MAX_KEPT_TAILS = 1000;

/** One per process: two attempts of an activity may hold two instances of everything else. */
const serialize = createSerializer();

/**
 * Appends the events that the file lacks and answers what it holds then.
 * Idempotency: the same batch again writes nothing. A batch that starts after a gap (a person deleted the file) writes nothing; the answer tells what to resend.
 * Two processes at once may write a line twice for a moment; whoever appends last mends it.
 */
export async function appendEvents(path: string, batch: AppendBatch, options: AppendOptions): Promise<AppendResult> {
  requireGapless(batch.events);
  return serialize(path, async () => {
    ensureFolder(dirname(path), options);
    let held = await appendOnce(path, batch, options);
    for (let again = 0; held === 'interleaved' && again < 5; again += 1) held = await appendOnce(path, batch, options);
    if (held === 'interleaved') throw new Error(`${JSON.stringify(path)} is being written by another process`);
    return { seq: Math.min(held.seq, batch.lastSeq), batch: held.isLeft ? 'left' : lateness(held.seq, batch) };
  });
}

function lateness(held: number, { lastSeq }: AppendBatch): AppendResult['batch'] {
  return held > lastSeq ? 'late' : 'newest';
}

/** The whole, well-numbered lines of the file, for reports. Where no readable file of ours stands there are none. */
export async function readEvents(path: string): Promise<JournalEvent[]> {
  const content = bytesOf(await readForeignFile(path, { maxBytes: MAX_JOURNAL_BYTES }));
  return content === null ? [] : parseJournal(content).lines.map((line) => line.event);
}

interface Held {
  readonly seq: number;
  readonly isLeft: boolean;
}

async function appendOnce(path: string, batch: AppendBatch, options: AppendOptions): Promise<Held | 'interleaved'> {
  const file = await openJournal(path, options);
  try {
    const content = await readWhole(file);
    const journal = parseJournal(content);
    if (batch.mayBeLeft === true)
      return { seq: journal.lines.length, isLeft: !holdsAll(journal, batch.events, redactorIn(options)) };
    const kept = await mend(file, { path, content, journal, events: batch.events }, options);
    const missing = batch.events.filter((event) => event.seq > kept.lastSeq);
    const first = missing[0];
    if (first === undefined || first.seq !== kept.lastSeq + 1) return { seq: kept.lastSeq, isLeft: false };
    options.failpoint('journal.before-append');
    const bytes = Buffer.from(missing.map((event) => `${render(event, redactorIn(options))}\n`).join(''));
    const isAlone = await writeWhole(file, bytes, kept.bytes);
    if (options.fsync) await file.sync();
    options.failpoint('journal.after-append');
    return isAlone ? { seq: kept.lastSeq + missing.length, isLeft: false } : 'interleaved';
  } finally {
    await file.close();
  }
}

/** **Errors** UnsafePathError where it has grown past the bound since it was opened. */
async function readWhole(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > MAX_JOURNAL_BYTES) throw new UnsafePathError(`the journal has ${size} bytes`);
  return new ForeignFile(file.fd, size).piece({ from: 0, length: size });
}

/** O_NONBLOCK: a FIFO that takes the file's place between look and open must not hold a thread for ever. */
const OPEN_FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function openJournal(path: string, options: AppendOptions): Promise<FileHandle> {
  const { O_CREAT, O_EXCL } = constants;
  const found = lstatSync(path, { throwIfNoEntry: false });
  const foreign = found === undefined ? null : foreignKind(found);
  if (foreign !== null) moveAside(path, foreign, options.aside);
  const existing = await open(path, OPEN_FLAGS).catch((error: unknown) => {
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') return ignoreCode('ENOENT')(error);
    moveAside(path, 'a file that may not be written', options.aside);
    return undefined;
  });
  if (existing !== undefined) return checked(existing, path);
  const created = await open(path, OPEN_FLAGS | O_CREAT | O_EXCL, 0o600).catch(ignoreCode('EEXIST'));
  if (created === undefined) return checked(await open(path, OPEN_FLAGS), path);
  if (options.fsync) await syncFolder(dirname(path));
  return created;
}

async function checked(file: FileHandle, path: string): Promise<FileHandle> {
  const foreign = foreignKind(await file.stat());
  if (foreign === null) return file;
  await file.close();
  throw new UnsafePathError(`${JSON.stringify(path)} is ${foreign}`);
}

/** Appending and cutting happen in place, so a second name of the file would be changed with it. */
function foreignKind(stat: Stats): string | null {
  if (!stat.isFile()) return kindOf(stat);
  if (stat.nlink > 1) return 'a file with a second name (a hard link)';
  return stat.size > MAX_JOURNAL_BYTES ? `a file of ${stat.size} bytes` : null;
}

/** The disk had room for a part only. */
class ShortWriteError extends Error {
  readonly code = 'ENOSPC';
}

interface Line {
  readonly text: string;
  readonly event: JournalEvent;
  /** Byte offset just behind its newline. */
  readonly end: number;
}

interface ParsedJournal {
  readonly lines: readonly Line[];
  /** Bytes of the lines; the rest of the file is torn, doubled or foreign. */
  readonly bytes: number;
}

interface MendTask {
  readonly path: string;
  readonly content: Buffer;
  readonly journal: ParsedJournal;
  readonly events: readonly JournalEvent[];
}

/** Leaves exactly the lines that the batch does not contradict. Crash between the two steps: the same tail is not stored twice. */
async function mend(
  file: FileHandle,
  task: MendTask,
  options: AppendOptions,
): Promise<{ lastSeq: number; bytes: number }> {
  const { lines } = task.journal;
  const wrong = firstWrong(task.journal, task.events, redactorIn(options));
  const lastSeq = wrong === undefined ? lines.length : wrong.seq - 1;
  const bytes = lines[lastSeq - 1]?.end ?? 0;
  if (bytes === task.content.length) return { lastSeq, bytes };
  const tail = task.content.subarray(bytes, withoutTornLine(task.content));
  if (tail.length > 0 && !isDoubled(tail, lines.slice(0, lastSeq))) await keepTail(task.path, tail, options);
  await file.truncate(bytes);
  return { lastSeq, bytes };
}

const LINE_START = Buffer.from('{"seq":');

/** Where the content ends but for the torn beginning of a line of ours. A person's last line may have no end either. */
function withoutTornLine(content: Buffer): number {
  const start = content.lastIndexOf(0x0a) + 1;
  const torn = content.subarray(start, start + LINE_START.length);
  return LINE_START.subarray(0, torn.length).equals(torn) ? start : content.length;
}

/** The first event that the file holds in other words. */
function firstWrong(
  { lines }: ParsedJournal,
  events: readonly JournalEvent[],
  redactor: Redactor,
): JournalEvent | undefined {
  return events.find((event) => {
    const line = lines[event.seq - 1];
    return line !== undefined && line.text !== render(event, redactor);
  });
}

function holdsAll(journal: ParsedJournal, events: readonly JournalEvent[], redactor: Redactor): boolean {
  return journal.lines.length >= (events.at(-1)?.seq ?? 0) && firstWrong(journal, events, redactor) === undefined;
}

/** Every line of the tail stands in the file already: another process wrote the same events. */
function isDoubled(tail: Buffer, lines: readonly Line[]): boolean {
  const known = new Set(lines.map((line) => line.text));
  return tail
    .toString('utf8')
    .split('\n')
    .every((line) => line === '' || known.has(line));
}

async function keepTail(path: string, tail: Buffer, options: AppendOptions): Promise<void> {
  for (let n = 1; n <= MAX_KEPT_TAILS; n += 1) {
    const target = join(dirname(path), `events.${n}.jsonl`);
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined) {
      await writeFileAtomic(target, tail, options);
      return;
    }
    if (bytesOf(await readForeignFile(target, { maxBytes: tail.length }))?.equals(tail) === true) return;
  }
  throw new UnsafePathError(`${JSON.stringify(path)} has ${MAX_KEPT_TAILS} tails beside it`);
}

/** Answers whether nobody else wrote meanwhile. A full disk leaves the file as it was. */
async function writeWhole(file: FileHandle, bytes: Buffer, before: number): Promise<boolean> {
  try {
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten !== bytes.length)
      throw new ShortWriteError(`only ${bytesWritten} of ${bytes.length} bytes could be written to the journal`);
  } catch (error) {
    await file.truncate(before);
    throw error;
  }
  return (await file.stat()).size === before + bytes.length;
}

function parseJournal(content: Buffer): ParsedJournal {
  const lines: Line[] = [];
  let start = 0;
  for (let newline = content.indexOf(0x0a); newline >= 0; newline = content.indexOf(0x0a, start)) {
    const text = content.toString('utf8', start, newline);
    const event = parseEvent(text);
    if (event === null || event.seq !== lines.length + 1) break;
    start = newline + 1;
    lines.push({ text, event, end: start });
  }
  return { lines, bytes: start };
}

function parseEvent(text: string): JournalEvent | null {
  const value = parseRecord(text);
  if (value === null) return null;
  const { seq, timestamp, type, message, data } = value;
  if (typeof seq !== 'number' || typeof timestamp !== 'string' || typeof message !== 'string') return null;
  return isEventType(type) && isRecord(data) ? { seq, timestamp, type, message, data: data as JsonObject } : null; // JSON.parse answers JSON.;
}

function isEventType(value: unknown): value is EventType {
  return EVENT_TYPES.some((type) => type === value);
}

function render(event: JournalEvent, redactor: Redactor): string {
  const { seq, timestamp, type, message, data } = event;
  return JSON.stringify({ seq, timestamp, type, message: redactor.text(message), data: redactor.json(data) });
}

function redactorIn({ redactor = SHAPES_ONLY }: AppendOptions): Redactor {
  return redactor;
}

function requireGapless(events: readonly JournalEvent[]): void {
  const gap = events.find((event, index) => event.seq !== (events[0]?.seq ?? 0) + index || event.seq < 1);
  if (gap !== undefined) throw new Error(`journal batch has a gap before seq ${gap.seq}`);
}

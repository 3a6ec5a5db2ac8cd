/**
 * Follows the projection of a run in its folder: new lines of events.jsonl, and state.json when it changes.
 * It asks the file system only, never the server, and takes a folder that does not exist yet. It promises order and no doubled
 * event; after a reset of the run the lines that differ are told again.
 */
import { watch } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEvent } from '../../protocol/journal.js';
import { isRunStatus } from '../../protocol/lifecycle.js';
import type { RunView } from '../../protocol/run-view.js';

export interface RunListener {
  event(event: JournalEvent): void;
  view(view: RunView): void;
}

export interface FileFollower {
  /** Reads what is there now; the last call after the end sees everything. */
  readNow(): Promise<void>;
  close(): void;
}

/** **Unit** ms. Until the folder exists, and for file systems whose changes are not reported. */
const LOOK_AGAIN_MS = 100;
const SAFETY_LOOK_MS = 1_000;

export function followFiles(runDir: string, listener: RunListener): FileFollower {
  const journal = new JournalTail(join(runDir, 'events.jsonl'));
  let closed = false;
  let watcher: ReturnType<typeof watch> | null = null;
  let lastView = '';
  let reading: Promise<void> = Promise.resolve();

  const readOnce = async () => {
    for (const event of await journal.read()) listener.event(event);
    const text = await readFile(join(runDir, 'state.json'), 'utf8').catch(() => lastView);
    if (text === lastView) return;
    lastView = text;
    const view = parseView(text);
    if (view !== null) listener.view(view);
  };
  const readNow = () => {
    reading = reading.then(readOnce, readOnce);
    return reading;
  };
  const attach = () => {
    if (closed || watcher !== null) return;
    try {
      watcher = watch(runDir, () => void readNow());
      watcher.on('error', () => {
        watcher?.close();
        watcher = null;
      });
      void readNow();
    } catch {
      // Not there yet: the timer looks again.
    }
  };
  attach();
  let sinceRead = 0;
  const timer = setInterval(() => {
    attach();
    sinceRead += LOOK_AGAIN_MS;
    if (sinceRead < SAFETY_LOOK_MS) return;
    sinceRead = 0;
    void readNow();
  }, LOOK_AGAIN_MS);
  return {
    readNow,
    close() {
      closed = true;
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** The view in a state.json, or null for a text that is none. */
export function parseView(text: string): RunView | null {
  const value = parseRecord(text);
  if (value === null || typeof value['runId'] !== 'string' || !isRunStatus(value['status'])) return null;
  return value as unknown as RunView; // The engine wrote it; the two fields that are branched on are checked.
}

/** One line of events.jsonl, or null for a torn or foreign one. */
export function parseEvent(line: string): JournalEvent | null {
  const value = parseRecord(line);
  if (value === null || typeof value['seq'] !== 'number' || typeof value['type'] !== 'string') return null;
  const { message, timestamp, data } = value;
  if (typeof message !== 'string' || typeof timestamp !== 'string' || typeof data !== 'object' || data === null) return null;
  return value as unknown as JournalEvent; // Every field was looked at; an unknown type is shown by its message.
}

class JournalTail {
  private offset = 0;
  private seen: string[] = [];
  /** The lines before the file became shorter; it may be seen empty in between. */
  private before: readonly string[] = [];

  constructor(private readonly file: string) {}

  async read(): Promise<readonly JournalEvent[]> {
    const size = await stat(this.file).then(
      (info) => info.size,
      () => 0,
    );
    if (size === this.offset) return [];
    if (size < this.offset) {
      this.before = this.seen.length > 0 ? this.seen : this.before;
      this.offset = 0;
      this.seen = [];
    }
    const bytes = await readRange(this.file, this.offset, size);
    // A line ends in a newline byte, which is part of no other UTF-8 character; the torn rest stays for the next look.
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.offset += end;
    const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    const known = this.seen.length;
    const fresh = lines.filter((line, index) => this.before[known + index] !== line);
    this.seen.push(...lines);
    return fresh.map(parseEvent).filter((event) => event !== null);
  }
}

async function readRange(file: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

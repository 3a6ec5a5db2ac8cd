/**
 * Follows the projection of a run in its folder: new lines of events.jsonl, and state.json and live.json when they change.
 * It asks the file system only, never the server, and takes a folder that does not exist yet. It promises order and no doubled
 * event; after a reset of the run the lines that differ are told again. What cannot be read is not there: the files are only a projection.
 */
import { watch } from 'node:fs';
import { join } from 'node:path';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { LIVE_FILE, type LiveWork, parseLiveWork } from '../../protocol/messages/live-work.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { JournalTail } from './journal-tail.js';
import { parseView } from './parse-view.js';
import { readRunFile } from './read-run-file.js';

export interface RunListener {
  event(event: JournalEvent): void;
  view(view: RunView): void;
  /** What is at work; null: nothing that takes a while. Never from another host. */
  work(work: LiveWork | null): void;
}

export interface FileFollower {
  /** Reads what is there now; the last call after the end sees everything. */
  readNow(): Promise<void>;
  /** The journal is longer than anything that the engine writes, so its rest is left unread. */
  isCut(): boolean;
  close(): void;
}

const JOURNAL = 'events.jsonl';
const VIEW = 'state.json';

/** **Unit** bytes: some times what a host writes, which is some lines. */
const MAX_LIVE_BYTES = 256 * 1024;

/** **Unit** ms. Until the folder exists, and for file systems whose changes are not reported. */
const LOOK_AGAIN_MS = 100;
const SAFETY_LOOK_MS = 1_000;

/** `maxBytes`: of the journal; the rest of a longer one is left unread. */
export function followFiles(runDir: string, listener: RunListener, maxBytes?: number): FileFollower {
  const journal = new JournalTail(join(runDir, JOURNAL), maxBytes);
  const changes = followViews(runDir, listener);
  let closed = false;
  let watcher: ReturnType<typeof watch> | null = null;
  let reading: Promise<void> = Promise.resolve();

  const readOnce = async () => {
    await journal.read((event) => listener.event(event));
    await changes.read();
  };
  const readNow = () => {
    reading = reading.then(readOnce, readOnce);
    return reading;
  };
  // Nobody waits for these: what failed is tried again by the next look, and told by the one that somebody waits for.
  const lookAgain = () => void readNow().catch(() => {});
  const attach = () => {
    if (closed || watcher !== null) return;
    try {
      watcher = watch(runDir, (_, name) => (isFollowed(name) ? lookAgain() : undefined));
      watcher.on('error', () => {
        watcher?.close();
        watcher = null;
      });
      lookAgain();
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
    lookAgain();
  }, LOOK_AGAIN_MS);
  return {
    readNow,
    isCut: () => journal.isCut,
    close() {
      closed = true;
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** The two files that are replaced whole. */
function followViews(runDir: string, listener: RunListener): { read(): Promise<void> } {
  let lastView: string | null = null;
  let lastWork: string | null = null;
  return {
    async read() {
      const text = await readRunFile(join(runDir, VIEW));
      const view = text === null || text === lastView ? null : parseView(text);
      if (text !== null) lastView = text;
      if (view !== null) listener.view(view);
      const work = await readRunFile(join(runDir, LIVE_FILE), MAX_LIVE_BYTES);
      if (work !== lastWork) listener.work(parseLiveWork(work));
      lastWork = work;
    },
  };
}

/** Beside them a run writes prompts, plans and reports there. A system that names no file may have changed any. */
function isFollowed(name: string | null): boolean {
  return name === null || name === JOURNAL || name === VIEW || name === LIVE_FILE;
}

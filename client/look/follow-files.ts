/**
 * Follows the projection of a run in its folder: new lines of events.jsonl, and state.json and live.json when they change.
 * It asks the file system only, never the server, and takes a folder that does not exist yet. It promises order and no doubled
 * event; after a reset of the run the lines that differ are told again. What cannot be read is not there: the files are only a projection.
 */
import { join } from 'node:path';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { LIVE_FILE, type LiveWork, parseLiveWork } from '../../protocol/messages/live-work.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { type FolderFollower, followFolder } from './follow-folder.js';
import { JournalTail } from './journal-tail.js';
import { parseView } from './parse-view.js';
import { readRunFile } from './read-run-file.js';

export interface RunListener {
  event(event: JournalEvent): void;
  view(view: RunView): void;
  /** What is at work; null: nothing that takes a while. Never from another host. */
  work(work: LiveWork | null): void;
}

export interface FileFollower extends FolderFollower {
  /** The journal is longer than anything that the engine writes, so its rest is left unread. */
  isCut(): boolean;
}

const JOURNAL = 'events.jsonl';
const VIEW = 'state.json';

/** **Unit** bytes: some times what a host writes, which is some lines. */
const MAX_LIVE_BYTES = 256 * 1024;

/** `maxBytes`: of the journal; the rest of a longer one is left unread. */
export function followFiles(runDir: string, listener: RunListener, maxBytes?: number): FileFollower {
  const journal = new JournalTail(join(runDir, JOURNAL), maxBytes);
  const changes = followViews(runDir, listener);
  const follower = followFolder(runDir, isFollowed, async () => {
    await journal.read((event) => listener.event(event));
    await changes.read();
  });
  return { ...follower, isCut: () => journal.isCut };
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

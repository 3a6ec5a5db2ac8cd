/** The live text of one turn, from where a reader stands: a file and a byte in it. */
import { join } from 'node:path';
import { MAX_LIVE_BYTES } from '../../protocol/messages/live-text.js';
import { followLiveText, LIVE_START, type LivePosition } from '../look/live-text.js';
import { turnFolderOf } from '../look/read-turns.js';
import { wholeCharacters } from '../look/whole-characters.js';
import { Feed } from './feed.js';
import type { RunLister } from './list-runs.js';
import { repeat } from './repeat.js';
import type { StreamEvent } from './shapes.js';
import type { Topic } from './topics.js';

/** **Unit** ms: until the folder of the turn is there. */
const LOOK_EVERY_MS = 1_000;

/** **Unit** bytes of one event. */
const PIECE_BYTES = 32 * 1024;

export class LiveFeed extends Feed {
  /** By the number of the file, from 1. */
  private readonly texts = new Map<number, Buffer>();
  private end: () => void;
  private isClosed = false;
  private isRead = false;

  constructor(
    private readonly runId: string,
    private readonly turn: number,
    private readonly lister: Pick<RunLister, 'find'>,
  ) {
    super();
    this.end = repeat(() => this.begin(), LOOK_EVERY_MS);
  }

  reader(topic: Topic): () => StreamEvent | null {
    let at = topic.kind === 'live' ? (topic.position ?? LIVE_START) : LIVE_START;
    let isNew = topic.kind === 'live' && topic.position === null;
    return () => {
      const { runId, turn } = this;
      if (!this.isRead) return null;
      // What the reader had is no part of these files.
      if (at.byte > this.lengthOf(at.file)) [at, isNew] = [LIVE_START, true];
      if (at.byte === this.lengthOf(at.file) && this.texts.has(at.file + 1)) at = { file: at.file + 1, byte: 0 };
      const piece = wholeCharacters((this.texts.get(at.file) ?? NOTHING).subarray(at.byte, at.byte + PIECE_BYTES));
      if (piece.length === 0) return null;
      const whole = isNew;
      isNew = false;
      at = { file: at.file, byte: at.byte + piece.length };
      return { topic: 'live', runId, turn, whole, position: positionText(at), text: piece.toString('utf8') };
    };
  }

  close(): void {
    this.isClosed = true;
    this.end();
  }

  private lengthOf(file: number): number {
    return this.texts.get(file)?.length ?? 0;
  }

  private async begin(): Promise<void> {
    const { runDir = null } = (await this.lister.find(this.runId)) ?? {};
    const folder = runDir === null ? null : await turnFolderOf(runDir, this.turn);
    if (runDir === null || folder === null) return;
    this.end();
    const follower = followLiveText(join(runDir, 'turns', folder), LIVE_START, (text, next) => this.take(text, next));
    this.end = () => follower.close();
    if (this.isClosed) return follower.close();
    await follower.readNow().catch(() => {});
    this.isRead = true;
    this.wakeAll();
  }

  private take(text: string, { file }: LivePosition): void {
    const before = this.texts.get(file) ?? NOTHING;
    if (before.length < MAX_LIVE_BYTES) this.texts.set(file, Buffer.concat([before, Buffer.from(text)]));
    this.wakeAll();
  }
}

const NOTHING = Buffer.alloc(0);

function positionText({ file, byte }: LivePosition): string {
  return `${file}.${byte}`;
}

/** One run, live: its journal from where a reader stands, that it changed, and what works in it. From its folder where that lies on this machine, else by Query. */
import { type LiveWork, MAX_LIVE_CHARS } from '../../protocol/messages/live-work.js';
import { followFiles, type RunListener } from '../look/follow-files.js';
import { cutDeep } from './cut.js';
import { Feed } from './feed.js';
import { JournalLines } from './journal-lines.js';
import type { RunLister } from './list-runs.js';
import { repeat } from './repeat.js';
import type { ServerLine } from './server-line.js';
import type { StreamEvent } from './shapes.js';
import type { Position, Topic } from './topics.js';

/** **Unit** ms: of a run whose files are on another machine. */
const QUERY_EVERY_MS = 3_000;

/** **Unit** bytes, of which each line is held while somebody reads. */
const MAX_JOURNAL_BYTES = 8 * 1024 * 1024;

export class RunFeed extends Feed {
  private readonly lines = new JournalLines();
  private work: LiveWork | null = null;
  private seq = -1;
  private isRead = false;
  private isClosed = false;
  private end: () => void = () => {};
  private isCut: () => boolean = () => false;

  constructor(
    private readonly runId: string,
    private readonly lister: Pick<RunLister, 'find'>,
    private readonly line: ServerLine,
  ) {
    super();
    void this.begin();
  }

  reader(topic: Topic): () => StreamEvent | null {
    let position: Position | null = topic.kind === 'run' ? topic.position : null;
    let told = { lines: false, seq: -1, work: null as LiveWork | null };
    return () => {
      if (!this.isRead) return null;
      const { runId, seq, work } = this;
      if (this.isCut()) this.lines.cut();
      const piece = this.lines.after(position);
      if (piece.whole || piece.events.length > 0 || !told.lines) {
        position = piece.end;
        told = { ...told, lines: true };
        return { topic: 'run', runId, whole: piece.whole, position: piece.position, events: [...piece.events] };
      }
      if (told.seq !== seq) {
        told = { ...told, seq };
        return { topic: 'changed', runId, seq };
      }
      if (told.work === work) return null;
      told = { ...told, work };
      return { topic: 'work', runId, work: work === null ? null : { ...work, lines: [...work.lines] } };
    };
  }

  close(): void {
    this.isClosed = true;
    this.end();
  }

  private async begin(): Promise<void> {
    if (await this.followFolder().catch(() => false)) return;
    // On another machine, just started, or not to be looked at just now.
    const look = async () => {
      if (await this.followFolder()) return;
      const run = await this.lister.find(this.runId);
      const { seq } = await this.line.ask((sluice) => sluice.status(run?.workflowId ?? this.runId));
      this.onView(seq);
    };
    this.endBy(repeat(() => look().catch(() => {}), QUERY_EVERY_MS));
    this.isRead = true;
    this.wakeAll();
  }

  /** What is at work goes on by this end alone. */
  private endBy(end: () => void): void {
    this.end();
    this.end = end;
    if (this.isClosed) end();
  }

  /** False where its folder is not here. */
  private async followFolder(): Promise<boolean> {
    const { runDir = null } = (await this.lister.find(this.runId)) ?? {};
    if (runDir === null) return false;
    const listener: RunListener = {
      event: (event) => {
        this.lines.add(event);
        this.wakeAll();
      },
      view: ({ seq }) => this.onView(seq),
      work: (work) => {
        this.work = work === null ? null : cutDeep(work, MAX_LIVE_CHARS);
        this.wakeAll();
      },
    };
    const follower = followFiles(runDir, listener, MAX_JOURNAL_BYTES);
    this.isCut = follower.isCut;
    this.endBy(() => follower.close());
    // What cannot be read is not there; the next look tells.
    await follower.readNow().catch(() => {});
    this.isRead = true;
    this.wakeAll();
    return true;
  }

  private onView(seq: number): void {
    this.seq = seq;
    this.wakeAll();
  }
}

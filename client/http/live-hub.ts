/**
 * Everything live that the page shows. Each feed works while somebody reads it, once for all who do; with no reader nothing is asked of a server and no file
 * is watched. Nothing waits for a reader: each asks for what it lacks when it can take more, so that one who reads slowly holds no memory.
 */
import type { Feed } from './feed.js';
import { ListFeed } from './list-feed.js';
import type { RunLister } from './list-runs.js';
import { LiveFeed } from './live-feed.js';
import { RunFeed } from './run-feed.js';
import type { ServerLine } from './server-line.js';
import type { StreamEvent } from './shapes.js';
import { SnapshotFeed } from './snapshot-feed.js';
import { batchReader, readBatches, readLandings, readLimits } from './snapshots.js';
import { type Topic, topicKey } from './topics.js';

export interface Reader {
  /** What this reader lacks, the oldest first. Null: nothing now. */
  next(): StreamEvent | null;
  leave(): void;
}

/** **Unit** ms: how often each is asked for while somebody looks. */
const EVERY_MS = { batches: 10_000, batch: 3_000, limits: 30_000, landings: 5_000 } as const;

export class LiveHub {
  private readonly feeds = new Map<string, Feed>();

  constructor(
    private readonly lister: RunLister,
    private readonly line: ServerLine,
    private readonly home: string,
  ) {}

  /** `wake`: called when there may be more. */
  read(topic: Topic, wake: () => void): Reader {
    const key = topicKey(topic);
    const feed = this.feeds.get(key) ?? this.open(topic);
    this.feeds.set(key, feed);
    feed.wakers.add(wake);
    return {
      next: feed.reader(topic),
      leave: () => {
        feed.wakers.delete(wake);
        if (feed.wakers.size > 0 || this.feeds.get(key) !== feed) return;
        this.feeds.delete(key);
        feed.close();
      },
    };
  }

  private open(topic: Topic): Feed {
    const { line, lister, home } = this;
    switch (topic.kind) {
      case 'list':
        return new ListFeed(lister);
      case 'run':
        return new RunFeed(topic.runId, lister, line);
      case 'live':
        return new LiveFeed(topic.runId, topic.turn, lister);
      case 'batch':
        return new SnapshotFeed(batchReader(line, topic.id), EVERY_MS.batch);
      case 'batches':
        return new SnapshotFeed(
          async () => ({ topic: 'batches', page: await line.ask(readBatches) }),
          EVERY_MS.batches,
        );
      case 'landings':
        return new SnapshotFeed(
          async () => ({ topic: 'landings', page: await line.ask(readLandings) }),
          EVERY_MS.landings,
        );
      case 'limits':
        return new SnapshotFeed(async () => ({ topic: 'limits', page: await readLimits(line, home) }), EVERY_MS.limits);
    }
  }
}

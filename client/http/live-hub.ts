/**
 * Everything live that the page shows. Each feed works while somebody reads it, once for all who do; with no reader nothing is asked of a server and no file
 * is watched. Nothing waits for a reader: each asks for what it lacks when it can take more, so that one who reads slowly holds no memory.
 */
import type { Feed } from './feed.js';
import { ListFeed } from './list-feed.js';
import type { RunLister } from './list-runs.js';
import { RunFeed } from './run-feed.js';
import type { ServerLine } from './server-line.js';
import type { StreamEvent } from './shapes.js';
import type { Topic } from './topics.js';

export interface Reader {
  /** What this reader lacks, the oldest first. Null: nothing now. */
  next(): StreamEvent | null;
  leave(): void;
}

export class LiveHub {
  private readonly feeds = new Map<string, Feed>();

  constructor(
    private readonly lister: RunLister,
    private readonly line: ServerLine,
  ) {}

  /** `wake`: called when there may be more. */
  read(topic: Topic, wake: () => void): Reader {
    const key = topic.kind === 'list' ? 'list' : `run:${topic.runId}`;
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

  /** How many feeds are at work. */
  get size(): number {
    return this.feeds.size;
  }

  private open(topic: Topic): Feed {
    return topic.kind === 'list' ? new ListFeed(this.lister) : new RunFeed(topic.runId, this.lister, this.line);
  }
}

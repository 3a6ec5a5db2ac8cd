/** Something that is read whole, again and again while somebody looks, and told when it changed. */
import { Feed } from './feed.js';
import { repeat } from './repeat.js';
import type { StreamEvent } from './shapes.js';

export class SnapshotFeed extends Feed {
  private event: StreamEvent | null = null;
  readonly close: () => void;

  /** What cannot be read just now stays what it was. */
  constructor(read: () => Promise<StreamEvent>, everyMs: number) {
    super();
    this.close = repeat(
      () =>
        read().then(
          (event) => this.take(event),
          () => {},
        ),
      everyMs,
    );
  }

  reader(): () => StreamEvent | null {
    let told: StreamEvent | null = null;
    return () => {
      if (told === this.event) return null;
      told = this.event;
      return told;
    };
  }

  private take(event: StreamEvent): void {
    if (JSON.stringify(event) === JSON.stringify(this.event)) return;
    this.event = event;
    this.wakeAll();
  }
}

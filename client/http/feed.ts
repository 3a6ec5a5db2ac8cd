/** One thing that readers follow. */
import type { StreamEvent } from './shapes.js';
import type { Topic } from './topics.js';

export abstract class Feed {
  /** Of everybody who reads. */
  readonly wakers = new Set<() => void>();

  /** What a new reader of that topic lacks, asked again and again. Null: nothing now. */
  abstract reader(topic: Topic): () => StreamEvent | null;

  /** Nobody reads any more. */
  abstract close(): void;

  protected wakeAll(): void {
    for (const wake of this.wakers) wake();
  }
}

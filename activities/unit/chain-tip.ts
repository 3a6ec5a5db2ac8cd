/** The end of the chain on a base, where something new begins. By the queue's own word: its ref only keeps objects, and stays behind when a link is taken out. Effects: none. */
import type { QueueRef, QueueWord } from '../../protocol/actors/merge-queue.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import type { Repository } from '../git/start/contract.js';
import type { HostDeps } from './host-deps.js';

export interface ChainTip extends QueueWord {
  /** The last link; the base itself where there is none, or where the chain is not on it. */
  readonly tip: string;
  /** The base moved, and the queue has not heard of it. */
  readonly isBehind: boolean;
}

export interface ChainPlace {
  readonly repository: Repository;
  readonly queue: QueueRef;
  /** Where the base stands. */
  readonly at: string;
}

/** Errors: where the server does not answer. */
export async function findTip(
  { readQueue }: Pick<HostDeps, 'readQueue'>,
  { repository, queue, at }: ChainPlace,
): Promise<ChainTip> {
  const word = await readQueue(queue);
  const last = word.links.at(-1)?.commit ?? at;
  const isBehind = last !== at && (await readAncestry(repository, at, last)) !== 'ancestor';
  return { ...word, tip: isBehind ? at : last, isBehind };
}

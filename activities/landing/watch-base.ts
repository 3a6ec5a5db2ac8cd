/**
 * Waits until the base of a merge queue stands elsewhere than it did, or is free. It reads files alone, every two seconds: no git is started, and nothing is written.
 * A base of a forge has none. Errors: as of `readRunOfQueue`. Cancel: at once; nothing is left behind. Not promised: that a base which moved and moved back is seen.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isForgeQueue, type WatchBaseInput, type WatchBaseResult } from '../../protocol/actors/merge-queue.js';
import { findBaseUse } from '../git/merge/swap-base.js';
import { followRef } from '../git/refs/read-ref.js';
import type { Repository } from '../git/start/contract.js';
import { eitherOf } from '../unit/attempts.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import { readRunOfQueue } from './queue-place.js';

/** Source: S-79, which asks for a minute. */
const EVERY_MS = 2_000;

/** At once; the other queues look by timer. */
const MAX_WATCHES = 20;

interface Watching {
  readonly everyMs: number;
  readonly maxWatches: number;
}

export function createWatchBase(
  deps: HostDeps,
  { everyMs, maxWatches }: Watching = { everyMs: EVERY_MS, maxWatches: MAX_WATCHES },
): (input: WatchBaseInput) => Promise<WatchBaseResult> {
  let open = 0;
  return ({ queue, runId, at, isInUse }) =>
    attend(deps, randomUUID(), async (signals) => {
      if (isForgeQueue(queue)) return { kind: 'unwatched' };
      const { repository } = readRunOfQueue(deps.home, { repoKey: queue.repoKey, runId }).record;
      // Such refs are no files of their own.
      if (open >= maxWatches || existsSync(join(repository.commonDir, 'reftable'))) return { kind: 'unwatched' };
      open += 1;
      try {
        const signal = eitherOf(signals);
        while (!(await hasStirred(repository, queue.branch, { at, isInUse })))
          await delay(everyMs, undefined, { signal });
        return { kind: 'stirred' };
      } finally {
        open -= 1;
      }
    });
}

async function hasStirred(
  repository: Repository,
  branch: string,
  { at, isInUse }: Pick<WatchBaseInput, 'at' | 'isInUse'>,
): Promise<boolean> {
  if ((await followRef(repository.commonDir, `refs/heads/${branch}`)) !== at) return true;
  return isInUse && (await findBaseUse(repository, branch)) === null;
}

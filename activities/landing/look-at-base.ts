/**
 * Looks how the base of a merge queue stands, moves it to the end of the chain where nobody uses it any more, and looks there for the heads that somebody else takes there.
 * Idempotency: a base that was moved is found moved. Cancel: what was begun is finished.
 */

import { endingWith } from '../../config/system/ending-signal.js';
import type { LookAtBaseInput, LookAtBaseResult, SeenBase, WatchedEnd } from '../../protocol/actors/merge-queue.js';
import { atPlace } from '../unit/at-place.js';
import { isOpenBase, lookAtBase, moveBase, standsBehind } from './base-look.js';
import { type BaseDeps, openBaseSite } from './base-site.js';
import { findWatched } from './find-watched.js';
import { type AtQueue, findQueuePlace } from './queue-place.js';
import { tellingTrouble } from './queue-trouble.js';

export function createLookAtBase(deps: BaseDeps): (input: LookAtBaseInput) => Promise<LookAtBaseResult> {
  return (input) =>
    atPlace<LookAtBaseResult, AtQueue['workplace']>(deps, {
      name: 'land',
      input,
      find: () => findQueuePlace(deps, input),
      isSealed: false,
      work: (at) => tellingTrouble(() => endingWith(at.signals.cancel, () => look(deps, at, input))),
    });
}

async function look(deps: BaseDeps, at: AtQueue, input: LookAtBaseInput): Promise<LookAtBaseResult> {
  const base = await moveIfFree(deps, at, input);
  const watched: WatchedEnd[] = [];
  if (!isOpenBase(base)) return { base, watched };
  for (const entry of input.watched) {
    if (entry.seenOn === base.at) continue;
    const landed = await findWatched(deps, at, { queue: input.queue, entry, on: base.at });
    // Of a pull request that cannot be asked nothing is known, and the forge holds up the next one as well.
    if (landed !== null && 'held' in landed) return { base: landed, watched: [] };
    if (landed !== null) watched.push({ id: entry.id, landed });
  }
  return { base, watched };
}

/** How it stands afterwards. */
async function moveIfFree(deps: BaseDeps, at: AtQueue, { queue, chain, mayMove }: LookAtBaseInput): Promise<SeenBase> {
  const site = openBaseSite(deps, at, { queue, entry: null });
  const about = { site, repository: at.workplace.repository, queue, chain };
  const base = await lookAtBase(about);
  const to = chain?.commits.at(-1);
  if (!isOpenBase(base) || chain === null || to === undefined) return base;
  const isDone = base.contains === chain.commits.length;
  if (!mayMove || isDone || base.use !== null || !standsBehind(base, chain)) return base;
  return (await moveBase(about, { from: base.at, to, on: base.at, failpoint: at.deps.failpoint })).base;
}

/**
 * Looks how the base of a merge queue stands, and moves it to the end of the chain where nobody uses it any more.
 * Idempotency: a base that was moved is found moved. Cancel: what was begun is finished.
 */

import { endingWith } from '../../config/system/ending-signal.js';
import type { LookAtBaseInput, LookAtBaseResult } from '../../protocol/actors/merge-queue.js';
import { atPlace } from '../unit/at-place.js';
import { lookAtBase, moveBase, standsBehind } from './base-look.js';
import { type AtQueue, findQueuePlace, type LandingDeps, queueGitOf } from './queue-place.js';

export function createLookAtBase(deps: LandingDeps): (input: LookAtBaseInput) => Promise<LookAtBaseResult> {
  return (input) =>
    atPlace<LookAtBaseResult, AtQueue['workplace']>(deps, {
      name: 'land',
      input,
      find: () => findQueuePlace(deps, input),
      isSealed: false,
      work: (at) => endingWith(at.signals.cancel, () => look(at, input)),
    });
}

async function look(at: AtQueue, { queue, chain, mayMove }: LookAtBaseInput): Promise<LookAtBaseResult> {
  const about = { repository: at.workplace.repository, queue, chain };
  const base = await lookAtBase(about);
  const to = chain?.commits.at(-1);
  if (base === null || chain === null || to === undefined) return { base };
  const isDone = base.contains === chain.commits.length;
  if (!mayMove || isDone || base.use !== null || !standsBehind(base, chain)) return { base };
  const { identity } = await queueGitOf(at);
  return moveBase(about, { from: base.at, to, identity, failpoint: at.deps.failpoint });
}

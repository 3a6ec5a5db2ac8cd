/**
 * Whether a head that somebody else takes to the base is there: under its own name, as what stands for it, or as a change that leaves nothing to land, as a squash by others does.
 * It writes objects that no ref names, and notes what it found on a forge. Errors: as of `landEntry`, for what may pass with time.
 */
import { ApplicationFailure } from '@temporalio/common';
import { isForgeQueue, type WatchedEnd } from '../../protocol/actors/merge-queue.js';
import { noteLanded } from '../unit/landed-mark.js';
import { findLanded, merge, type OfEntry, readSource } from './merge-head.js';
import { type AtQueue, type LandingDeps, readRunOfQueue } from './queue-place.js';
import { tellingTrouble } from './queue-trouble.js';

/** `on`: where the base stands. */
interface Watched extends OfEntry {
  readonly on: string;
}

/** Null: it is still waited for. */
export async function findWatched(
  deps: LandingDeps,
  at: AtQueue,
  watched: Watched,
): Promise<WatchedEnd['landed'] | null> {
  try {
    return await tellingTrouble(() => lookFor(deps, at, watched));
  } catch (error) {
    // Of one head of many: the others are looked for.
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    return { kind: 'exhausted', reason: 'refused', why: error.message };
  }
}

async function lookFor(
  deps: LandingDeps,
  at: AtQueue,
  { queue, entry, on }: Watched,
): Promise<WatchedEnd['landed'] | null> {
  const { record } = readRunOfQueue(deps.home, { repoKey: entry.repoKey, runId: entry.runId });
  const ofRun: AtQueue = { ...at, run: { ...at.run, record } };
  const source = await readSource(deps, ofRun, { entry });
  if (!('head' in source)) return source.kind === 'exhausted' ? source : null;
  const commit = await findLanded(ofRun, { queue, entry }, { head: source.head, isNamed: true, on });
  if (commit !== null) {
    const mark = { head: source.head, base: queue, commit, isThere: true };
    if (isForgeQueue(queue)) noteLanded(deps.home.stateDir(entry.repoKey, entry.runId), mark, deps.durability);
    return { kind: 'merged', commit };
  }
  const made = await merge(ofRun, { queue, entry, chain: null }, { source, on });
  return 'kind' in made && made.kind === 'exhausted' && made.reason === 'nothing_left' ? made : null;
}

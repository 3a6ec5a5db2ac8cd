/**
 * Whether a head that somebody else takes to the base is there: under its own name, as what stands for it, or as a change that leaves nothing to land, as a squash by others does.
 * It writes objects that no ref names, and notes what it found on a forge. Errors: as of `landEntry`, for what may pass with time.
 */
import { ApplicationFailure } from '@temporalio/common';
import { type HeldBase, isForgeQueue, type WatchedEnd, type WatchedHead } from '../../protocol/actors/merge-queue.js';
import { noteLanded } from '../unit/landed-mark.js';
import { type BaseDeps, openBaseSite } from './base-site.js';
import { findLanded, isOfRun, merge, type OfEntry, readSource } from './merge-head.js';
import { type AtQueue, readRunOfQueue } from './queue-place.js';
import { tellingTrouble } from './queue-trouble.js';

/** `on`: where the base stands. */
interface Watched extends OfEntry {
  readonly entry: WatchedHead;
  readonly on: string;
}

/** Null: it is still waited for. Held: its pull request could not be asked. */
type Found = WatchedEnd['landed'] | HeldBase | null;

export async function findWatched(deps: BaseDeps, at: AtQueue, watched: Watched): Promise<Found> {
  try {
    return await tellingTrouble(() => lookFor(deps, at, watched));
  } catch (error) {
    // Of one head of many: the others are looked for.
    if (!(error instanceof ApplicationFailure) || error.nonRetryable !== true) throw error;
    return { kind: 'exhausted', reason: 'refused', why: error.message };
  }
}

async function lookFor(deps: BaseDeps, at: AtQueue, { queue, entry, on }: Watched): Promise<Found> {
  const { record } = readRunOfQueue(deps.home, { repoKey: entry.repoKey, runId: entry.runId });
  const ofRun: AtQueue = { ...at, run: { ...at.run, record } };
  const source = await readSource(deps, ofRun, { entry });
  if (!('head' in source)) return source.kind === 'exhausted' ? source : null;
  const commit = await findLanded(ofRun, { queue, entry }, { head: source.head, isNamed: true, on });
  if (commit !== null) return noteThere(deps, { queue, entry, head: source.head, commit });
  const made = await merge(ofRun, { queue, entry, chain: null }, { source, on });
  // What the forge made of it, as by a squash, git cannot tell.
  const asked = entry.pull === null ? null : await openBaseSite(deps, ofRun, { queue, entry }).consult(made);
  if (asked !== null && asked.base !== null && 'held' in asked.base) return asked.base;
  if (asked?.landed.kind === 'merged') {
    const { head } = source;
    const [{ commit }, { head: there = head }] = [asked.landed, asked];
    const isOurs = await isOfRun(ofRun, { entry }, { head, made: 'tree' in made ? made.head : null, there });
    return isOurs ? noteThere(deps, { queue, entry, head, commit }) : { kind: 'merged', commit };
  }
  return 'kind' in made && made.kind === 'exhausted' && made.reason === 'nothing_left' ? made : null;
}

interface There extends OfEntry {
  readonly head: string;
  readonly commit: string;
}

function noteThere({ home, durability }: BaseDeps, { queue, entry, head, commit }: There): WatchedEnd['landed'] {
  const mark = { head, base: queue, commit, isThere: true };
  if (isForgeQueue(queue)) noteLanded(home.stateDir(entry.repoKey, entry.runId), mark, durability);
  return { kind: 'merged', commit };
}

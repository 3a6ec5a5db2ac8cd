/** How a merge queue looks to people: the answer of its Query, its line in lists, and the Web UI. Pure. */
import type { MergeQueueView, QueuedEntry, QueueRef } from '../../protocol/actors/merge-queue.js';
import { printable } from '../../protocol/text/printable.js';
import type { Shown } from '../actor/actor.js';
import { compareTurns } from './queue-attempts.js';
import type { Entry, QueueState } from './queue-state.js';
import { holdOf } from './queue-watch.js';

const SHOWN_ENTRIES = 30;

export function viewOf(ref: QueueRef, state: QueueState): MergeQueueView {
  const { entries, chain, base, results, isPaused } = state;
  const held = holdOf(state);
  const inChain = (id: string) => chain?.links.findIndex(({ entry }) => entry === id) ?? -1;
  const rank = (id: string) => (inChain(id) < 0 ? Number.MAX_SAFE_INTEGER : inChain(id));
  return {
    ...ref,
    state: isPaused ? 'paused' : held === null ? 'open' : 'held',
    held: held?.reason ?? null,
    why: held?.why ?? null,
    chain,
    use: base?.use ?? null,
    entries: entries.toSorted((a, b) => rank(a.id) - rank(b.id) || compareTurns(a, b)).map(queuedEntryOf),
    results: results.map(({ owner: _owner, ...result }) => result),
  };
}

function queuedEntryOf(entry: Entry): QueuedEntry {
  const { id, owner, runId, host, repoKey, pull, priority, since, attempts, retryWaitMs, watch, anyway, head } = entry;
  const { state, used, nextAttemptAtMs } = entry;
  return {
    id,
    owner,
    runId,
    host,
    repoKey,
    pull,
    priority,
    since,
    attempts,
    retryWaitMs,
    watch,
    anyway,
    head,
    state,
    used,
    nextAttemptAt: nextAttemptAtMs === null ? null : new Date(nextAttemptAtMs).toISOString(),
  };
}

export function showQueue(ref: QueueRef, state: QueueState): Shown {
  const view = viewOf(ref, state);
  const ready = view.entries.filter((entry) => entry.state === 'ready').length;
  const lines = [
    `queue of **${printable(ref.branch)}**: **${view.state}**${view.why === null ? '' : ` (${printable(view.why)})`}`,
    view.use === null || ready === 0 ? '' : `${ready} ready, but ${printable(view.use)}`,
    ...view.entries.slice(0, SHOWN_ENTRIES).map(({ runId, state: at }) => `- \`${runId}\` ${at}`),
  ];
  return {
    status: view.state,
    details: lines.filter((line) => line !== '').join('\n\n'),
    // Each other memo is an event: how many wait is in the details.
    memo: { ...ref, state: view.state, why: view.why },
  };
}

/**
 * The order in which heads land on one base of one repository, `merge-queue:<repoKey>@<branch>`: it merges, checks and moves the base, one entry at a time, for all owners.
 * Waits for: Signals `enqueue` and `withdraw` of owners; `pause`, `resume`, `abort`, `look` of people, which are Updates too; host activities; its own timer.
 * Survives: the loss of worker, server and host. If it is lost itself, owners that wait start it anew by sending their entries again.
 * Ends: when it is empty and neither paused nor held.
 */
import { ActivityFailure, continueAsNew, isCancellation, uuid4, workflowInfo } from '@temporalio/workflow';
import {
  ENTRY_SIGNAL,
  isForgeQueue,
  type MergeQueueView,
  QUEUE_SIGNALS,
  QUEUE_UPDATES,
  type QueueRef,
  queueName,
  readQueueMessage,
} from '../../protocol/actors/merge-queue.js';
import { checksHost, forgeBaseHost, landingHost, watchingHost } from '../activity-options.js';
import type { Carried } from '../actor/core.js';
import { LiveActor } from '../actor/live.js';
import { sendSignal } from '../actor/send-signal.js';
import { failureOf } from './queue-failure.js';
import { type BaseErrand, type BaseWatch, EMPTY_QUEUE, type QueueEvent, type QueueState } from './queue-state.js';
import { QUEUE_RULES } from './queue-table.js';
import { showQueue, viewOf } from './queue-view.js';

/** `carried` null: there was no execution before. */
export async function mergeQueue(
  { repoKey, branch }: QueueRef,
  carried: Carried<QueueState> | null = null,
): Promise<MergeQueueView> {
  const ref = { repoKey, branch };
  const queue = new LiveActor(
    {
      rules: QUEUE_RULES,
      first: EMPTY_QUEUE,
      signals: QUEUE_SIGNALS,
      updates: QUEUE_UPDATES,
      read: readQueueMessage,
      async perform(errand, tell) {
        // An owner that is gone hears nothing; what landed has landed.
        if (errand.kind === 'tell')
          await sendSignal({ ...errand, executionRunId: null, name: ENTRY_SIGNAL, argument: errand.change });
        else if (errand.kind === 'watch') await watchBase(ref, errand, tell);
        else tell(await doToBase(ref, errand));
      },
      show: (state) => showQueue(ref, state),
      view: (state) => viewOf(ref, state),
    },
    carried,
  );
  return queue.live((next) => continueAsNew<typeof mergeQueue>(ref, next));
}

async function doToBase(queue: QueueRef, errand: BaseErrand): Promise<QueueEvent> {
  const { entry, seq } = errand;
  const { id, runId, host, repoKey } = entry;
  const base = isForgeQueue(queue) ? forgeBaseHost(host) : landingHost(host);
  const place = { runId: queueName(queue), seq, token: uuid4() };
  const at = { place, queue, owner: workflowInfo().firstExecutionRunId };
  try {
    switch (errand.kind) {
      case 'land': {
        const said = { anyway: entry.anyway, head: entry.head, pull: entry.pull };
        const input = { ...at, entry: { id, runId, repoKey, ...said }, chain: errand.chain, evidence: errand.evidence };
        const landed = await base.landEntry.executeWithOptions({ summary: `land ${runId}` }, [input]);
        return { kind: 'landed', id, ...landed };
      }
      case 'check': {
        const { commit, on } = errand;
        const input = { ...at, entry: { id, runId, repoKey }, commit, on };
        const checks = checksHost(host, { isOneOfMany: isForgeQueue(queue) });
        const checked = await checks.checkTree.executeWithOptions({ summary: `check ${runId}` }, [input]);
        return { kind: 'checked', id, on, ...checked };
      }
      case 'look': {
        const { chain, mayMove, watched } = errand;
        const input = { ...at, runId, repoKey, chain, mayMove, watched };
        const summary = `look at ${queue.branch}`;
        const looked = await base.lookAtBase.executeWithOptions({ summary }, [input]);
        return { kind: 'looked', ...looked, by: id, asked: watched.map(({ id: one }) => one) };
      }
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return failureOf(queue, errand, error);
  }
}

/** A host that is away, or cannot, is asked again once the base was looked at. */
async function watchBase(
  queue: QueueRef,
  { host, runId, at, isInUse }: BaseWatch,
  tell: (event: QueueEvent) => void,
): Promise<void> {
  // Nothing of a forge is a file.
  if (isForgeQueue(queue)) return tell({ kind: 'watched', base: 'unwatched' });
  try {
    const summary = `watch ${queue.branch}`;
    const input = { queue, runId, at, isInUse };
    const { kind } = await watchingHost(host).watchBase.executeWithOptions({ summary }, [input]);
    tell({ kind: 'watched', base: kind });
  } catch (error) {
    if (isCancellation(error)) return;
    if (!(error instanceof ActivityFailure)) throw error;
    tell({ kind: 'watched', base: 'unwatched' });
  }
}

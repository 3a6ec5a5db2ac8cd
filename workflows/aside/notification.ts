/**
 * Delivers one notification to every sink of a run's policy, side by side: a sink that is down keeps no other waiting.
 * Started by a run and left alone by it, so that no run is held by its sinks.
 * Waits for: one activity a sink. Survives: the loss of worker and server; a sink may then get the same id twice.
 * Ends: always completed, with one line a sink; what could not be delivered is a value.
 */
import { ActivityFailure } from '@temporalio/workflow';
import type { NotificationInput, NotificationResult } from '../../protocol/messages/messages.js';
import { notifyingHost } from '../activity-options.js';

export async function notification(input: NotificationInput): Promise<NotificationResult> {
  return Promise.all(input.sinks.map((kind, sink) => deliver(input, kind, sink)));
}

async function deliver(input: NotificationInput, kind: string, sink: number): Promise<NotificationResult[number]> {
  const { hostId, run, notification: told } = input;
  try {
    const summary = `${told.kind} → ${kind}`;
    const { target } = await notifyingHost(hostId).deliver.executeWithOptions({ summary }, [
      { run, sink, notification: told },
    ]);
    return { sink: kind, target, error: null };
  } catch (err) {
    if (!(err instanceof ActivityFailure)) throw err;
    return { sink: kind, target: null, error: err.cause?.message ?? err.message };
  }
}

/** Reads what a run over stub activities did, and waits for what it will do, by its own Query: no sleep decides anything. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import type { RunDetails, RunView } from '../../protocol/messages/run-view.js';
import { DETAILS_QUERY, STATUS_QUERY } from '../../protocol/names.js';
import type { RunStatus } from '../../protocol/run/lifecycle.js';
import type { StubHost } from './stub-host.js';

/** Every event that the host was handed, once each. */
export function eventsOf(host: StubHost): JournalEvent[] {
  const bySeq = new Map(host.batches.flatMap((batch) => batch.events.map((event) => [event.seq, event] as const)));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}

export function typesOf(host: StubHost): string[] {
  return eventsOf(host).map((event) => event.type);
}

/** The statuses in the order in which they were entered. */
export function pathOf(host: StubHost): string[] {
  return eventsOf(host).flatMap(({ type, data: { to } }) =>
    type === 'state.changed' && typeof to === 'string' ? [to] : [],
  );
}

export function viewOf(handle: WorkflowHandle): Promise<RunView> {
  return handle.query<RunView>(STATUS_QUERY);
}

export function detailsOf(handle: WorkflowHandle): Promise<RunDetails> {
  return handle.query<RunDetails>(DETAILS_QUERY);
}

export async function untilStatus(handle: WorkflowHandle, status: RunStatus): Promise<RunView> {
  return untilView(handle, (view) => view.status === status);
}

/** Errors: after 100 s, with the view. */
export async function untilView(handle: WorkflowHandle, holds: (view: RunView) => boolean): Promise<RunView> {
  const deadline = Date.now() + 100_000;
  for (;;) {
    const view = await viewOf(handle);
    if (holds(view)) return view;
    if (Date.now() > deadline) throw new Error(`the run stays as it is: ${JSON.stringify(view)}`);
    await sleep(20);
  }
}

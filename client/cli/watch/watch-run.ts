/**
 * Watches one started run until it closes, the person detaches or the server stays away.
 * Progress comes from the run's files where they are on this machine; otherwise from Query `status` every two seconds. The end comes from
 * the workflow's result by long poll, and the files are read once more before it is told.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { orAborted } from '../../../config/system/or-aborted.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { Retrying } from '../../calls/retrying.js';
import { followFiles, type RunListener } from '../../look/follow-files.js';
import type { Sluice } from '../../sluice.js';
import { followGates, type GateFollower } from '../gates/follow-gate.js';
import type { GateAnswerer } from './answer-gate.js';
import { type Awaiting, awaitEnd } from './await-end.js';
import type { Display } from './display.js';
import { followRetries } from './follow-retries.js';
import { DETACHED, type RunEnd } from './run-end.js';
import { type Absence, countAbsence } from './server-away.js';

export interface Watched {
  readonly sluice: Sluice;
  readonly workflowId: string;
  /** Null where the run's files are not on this machine. */
  readonly runDir: string | null;
  readonly display: Display;
  /** Told of the open gate and of every view; without it gates are not looked up. */
  readonly gates?: Pick<GateAnswerer, 'gate' | 'view'>;
  readonly stop: AbortSignal;
  readonly serverAwayMs?: number;
}

/** **Unit** ms. */
const QUERY_EVERY_MS = 2_000;

export async function watchRun(watched: Watched): Promise<RunEnd> {
  const { runDir, display, stop } = watched;
  const ending = new AbortController();
  const gates =
    watched.gates === undefined ? null : followGates({ ...watched, onGate: (gate) => watched.gates?.gate(gate) });
  const listener = listenerOf(watched, gates);
  const follower = runDir === null ? null : followFiles(runDir, listener);
  const queries = runDir === null ? queryViews({ ...watched, listener }, ending.signal) : Promise.resolve();
  const absence = countAbsence(watched.serverAwayMs);
  const told = {
    onChange: (retrying: Retrying | null) => display.retrying(retrying),
    onAnswer: () => absence.answered(),
  };
  const retries = followRetries({ ...watched, ...told }, ending.signal);
  try {
    const end = await orAborted(awaitEnd(resultOf(watched, absence), ending.signal), stop, () => DETACHED);
    await follower?.readNow();
    return end;
  } finally {
    ending.abort();
    gates?.close();
    follower?.close();
    await Promise.all([queries, retries]);
    display.end();
  }
}

function resultOf({ sluice, workflowId, display }: Watched, absence: Absence): Awaiting<RunResult> {
  return {
    ask: (ended) => sluice.result(workflowId, ended),
    unknown: 'the server does not know this run any more',
    onAway: () => display.notice('the server does not answer; the run goes on when it is back'),
    absence,
  };
}

/** Gates are looked up after the display has the view, so that an event stands above the gate that it opened. */
function listenerOf({ display, gates: answerer }: Watched, gates: GateFollower | null): RunListener {
  return {
    event: (event) => display.event(event),
    work: (work) => display.work(work),
    view(view) {
      display.view(view);
      answerer?.view(view);
      gates?.view(view);
    },
  };
}

async function queryViews(
  { sluice, workflowId, listener }: Watched & { readonly listener: RunListener },
  ended: AbortSignal,
): Promise<void> {
  let last: RunView | null = null;
  while (!ended.aborted) {
    const view = await sluice.status(workflowId).catch(() => null);
    if (view !== null && !ended.aborted) {
      if (view.status !== last?.status) {
        const message = last === null ? view.status : `${last.status} → ${view.status}`;
        const data = { from: last?.status ?? null, to: view.status };
        listener.event({ seq: view.seq, timestamp: view.updatedAt, type: 'state.changed', message, data });
      }
      listener.view(view);
      last = view;
    }
    await delay(QUERY_EVERY_MS, undefined, { signal: ended }).catch(() => {});
  }
}

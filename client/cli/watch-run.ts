/**
 * Watches one started run until it closes, the person detaches or the server stays away.
 * Progress comes from the run's files where they are on this machine; otherwise from Query `status` every two seconds. The end comes from
 * the workflow's result by long poll, and the files are read once more before it is told.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunView } from '../../protocol/run-view.js';
import type { Sluice } from '../sluice.js';
import type { GateAnswerer } from './answer-gate.js';
import type { Display } from './display.js';
import { followFiles, type RunListener } from './follow-files.js';
import { followGates, type GateFollower } from './follow-gate.js';
import { followRetries } from './follow-retries.js';
import { endOfFailure, type RunEnd } from './run-end.js';

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
const RETRY_MS = 500;
/** A restarted server is back in a second; a stopped one is not worth waiting for. */
const SERVER_AWAY_MS = 30_000;

export async function watchRun(watched: Watched): Promise<RunEnd> {
  const { runDir, display, stop } = watched;
  const ending = new AbortController();
  const gates = watched.gates === undefined ? null : followGates({ ...watched, onGate: (gate) => watched.gates?.gate(gate) });
  const listener = listenerOf(watched, gates);
  const follower = runDir === null ? null : followFiles(runDir, listener);
  const queries = runDir === null ? queryViews({ ...watched, listener }, ending.signal) : Promise.resolve();
  const retries = followRetries({ ...watched, onChange: (retrying) => display.retrying(retrying) }, ending.signal);
  try {
    const end = await Promise.race([resultOf(watched, ending.signal), detachedBy(stop)]);
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

async function resultOf({ sluice, workflowId, display, serverAwayMs = SERVER_AWAY_MS }: Watched, ended: AbortSignal): Promise<RunEnd> {
  let awaySince: number | null = null;
  while (!ended.aborted) {
    const askedAt = Date.now();
    try {
      return { kind: 'closed', result: await sluice.result(workflowId, ended) };
    } catch (error) {
      if (ended.aborted) break;
      const end = endOfFailure(error);
      if (end !== null) return end;
      if (isNotFound(error)) return { kind: 'failed', message: 'the server does not know this run any more' };
      // A long poll that lasted was answered by a live server: count the absence from its end.
      awaySince ??= askedAt;
      if (Date.now() - awaySince > serverAwayMs) return { kind: 'server_away' };
      display.notice('the server does not answer; the run goes on when it is back');
    }
    await delay(RETRY_MS);
  }
  return { kind: 'detached' };
}

/** Gates are looked up after the display has the view, so that an event stands above the gate that it opened. */
function listenerOf({ display, gates: answerer }: Watched, gates: GateFollower | null): RunListener {
  return {
    event: (event) => display.event(event),
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

function detachedBy(stop: AbortSignal): Promise<RunEnd> {
  return new Promise((resolve) => {
    const detach = () => resolve({ kind: 'detached' });
    if (stop.aborted) detach();
    else stop.addEventListener('abort', detach, { once: true });
  });
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

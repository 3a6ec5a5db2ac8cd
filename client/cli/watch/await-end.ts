/** Waits for the result of a workflow by long poll, however often it is cut off, until the server stays away or somebody ends the wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { nameOf } from '../../../config/system/error-code.js';
import { DETACHED, type EndOf, endOfFailure } from './run-end.js';
import { type Absence, missAnswer } from './server-away.js';

/** **Unit** ms. */
const RETRY_MS = 500;

export interface Awaiting<Result> {
  readonly ask: (ended: AbortSignal) => Promise<Result>;
  readonly unknown: string;
  readonly onAway?: () => void;
  /** Whoever asks the server for something else meanwhile tells it of each answer. */
  readonly absence: Absence;
}

/** Errors: of a part of this program that is gone. */
export async function awaitEnd<Result>(awaiting: Awaiting<Result>, ended: AbortSignal): Promise<EndOf<Result>> {
  const { ask, unknown, onAway, absence } = awaiting;
  while (!ended.aborted) {
    try {
      return { kind: 'closed', result: await ask(ended) };
    } catch (error) {
      if (ended.aborted) break;
      const end = endOfFailure(error);
      if (end !== null) return end;
      if (nameOf(error) === 'WorkflowNotFoundError') return { kind: 'failed', message: unknown };
      missAnswer(error);
      if (absence.missed()) return { kind: 'server_away' };
      onAway?.();
    }
    await delay(RETRY_MS);
  }
  return DETACHED;
}

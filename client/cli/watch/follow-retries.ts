/**
 * Asks the server now and then whether a watched run only fails and retries: nothing of that is in the run's files.
 * The first question comes late, so that a short run pays nothing; what a dead server does not answer is no news.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Retrying, retryText } from '../../calls/retrying.js';
import type { Sluice } from '../../sluice.js';

export interface FollowedRetries {
  readonly sluice: Pick<Sluice, 'describe'>;
  readonly workflowId: string;
  /** Called on every change; null when the activity goes on. */
  readonly onChange: (retrying: Retrying | null) => void;
  readonly onAnswer: () => void;
  readonly everyMs?: number;
}

/** **Unit** ms. */
const ASK_EVERY_MS = 2_000;

/** Resolves when `ended` is aborted. */
export async function followRetries(
  { sluice, workflowId, onChange, onAnswer, everyMs = ASK_EVERY_MS }: FollowedRetries,
  ended: AbortSignal,
): Promise<void> {
  let told = '';
  while (!ended.aborted) {
    await delay(everyMs, undefined, { signal: ended }).catch(() => {});
    if (ended.aborted) return;
    const execution = await sluice.describe(workflowId).catch(() => null);
    if (execution === null || ended.aborted) continue;
    onAnswer();
    const { retrying } = execution;
    const text = retrying === null ? '' : `${retrying.activity} ${retryText(retrying)}`;
    if (text === told) continue;
    told = text;
    onChange(retrying);
  }
}

/**
 * Sends a message of a person. Its request id is kept before it is sent, so that one whose answer was lost is sent again as the same message, which counts
 * once, also after a reload. It is another message, though the same words, after something else was said to the same run, or much later.
 */
import type { SentAnswer } from '../../client/http/shapes.js';
import { AskFailed, ask } from './ask.js';

const PREFIX = 'sluice.sent.';

/** **Unit** ms, after each try. */
const AGAIN_MS = [500, 1_000, 2_000];

/** **Unit** ms: who says it again later than this means it again. */
const SAME_FOR_MS = 10 * 60_000;

export interface Outcome {
  /** It counts, or a worker will see it. */
  readonly isTaken: boolean;
  readonly text: string;
}

export async function send(path: string, argument: Readonly<Record<string, unknown>>): Promise<Outcome> {
  const key = PREFIX + path + JSON.stringify(argument);
  const kept = keptId(key);
  const requestId = kept ?? crypto.randomUUID();
  // Once a try had no answer that says so, whoever refuses the next one may know nothing of the first.
  let mayHaveArrived = kept !== null;
  sessionStorage.setItem(key, `${requestId} ${Date.now()}`);
  for (const wait of [...AGAIN_MS, null]) {
    try {
      const { sent, message } = await ask<SentAnswer>(path, { body: { ...argument, requestId } });
      sessionStorage.removeItem(key);
      const isTaken = sent === 'accepted' || sent === 'queued' || sent === 'cancelled';
      if (isTaken) forgetSaid(path);
      if (isTaken) return { isTaken, text: message };
      // What has ended says no more whom it heard.
      const isUnsure = mayHaveArrived && sent === 'closed';
      return {
        isTaken,
        text: isUnsure ? `${message}. Whether it counted before is not known.` : `Nothing was changed: ${message}`,
      };
    } catch (error) {
      if (!(error instanceof AskFailed)) throw error;
      const isRefused = error.status !== null && (error.status < 500 || error.status === 503);
      if (isRefused && !mayHaveArrived) {
        sessionStorage.removeItem(key);
        return { isTaken: false, text: `Nothing was sent: ${error.message}` };
      }
      mayHaveArrived = true;
      if (isRefused || wait === null)
        return {
          isTaken: false,
          text: `${error.message}. Whether it arrived is not known: sent again, it counts once.`,
        };
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  throw new Error('the last try always answers');
}

/** Null: none is kept, or it is of a message that was meant long ago. */
function keptId(key: string): string | null {
  const [id, at] = (sessionStorage.getItem(key) ?? '').split(' ');
  const isSame = id !== undefined && id !== '' && Math.abs(Date.now() - Number(at)) < SAME_FOR_MS;
  return isSame ? id : null;
}

/** A pause that is meant after a resume is no second try of the pause before it. */
function forgetSaid(path: string): void {
  const owner = PREFIX + path.slice(0, path.lastIndexOf('/') + 1);
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(owner)) sessionStorage.removeItem(key);
}

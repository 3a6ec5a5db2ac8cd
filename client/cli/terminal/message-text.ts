/** The texts that people send to a run, checked before anything is asked of a server. */
import { text as readAll } from 'node:stream/consumers';
import { orAborted } from '../../../config/system/or-aborted.js';
import { MAX_NOTE_CHARS } from '../../../protocol/limits.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { foreign } from './io.js';
import { NOTHING_SENT } from './person.js';

export interface AskedText {
  /** Where it was said: `the text`, `--note`, `--reason`. */
  readonly name: string;
  readonly text: string;
  /** How the command is written. */
  readonly usage: string;
  readonly limit?: number;
}

/** The text as it is sent. Errors: RefusedError for one that is empty or too long. */
export function checkText({ name, text, usage, limit = MAX_NOTE_CHARS }: AskedText): string {
  const clean = text.trim();
  if (clean === '') {
    throw new RefusedError({ what: `${name} is empty`, why: 'it must say something', now: NOTHING_SENT, mend: usage });
  }
  if (clean.length <= limit) return clean;
  throw new RefusedError({
    what: `${name} has ${clean.length} characters: "${foreign(clean.slice(0, 40))}…"`,
    why: `at most ${limit} are taken: it travels in the run's history and prompts`,
    now: NOTHING_SENT,
    mend: 'put the long part into a file of the repository and name that file in the text',
  });
}

/** Null for an option that was not given. */
export function checkOption(name: string, text: string | undefined, usage: string): string | null {
  return text === undefined ? null : checkText({ name, text, usage });
}

/** `-` reads standard input; null when the person stopped first. */
export async function textOrInput(text: string, stop: AbortSignal): Promise<string | null> {
  return text === '-' ? orAborted(readAll(process.stdin), stop, () => null) : text;
}

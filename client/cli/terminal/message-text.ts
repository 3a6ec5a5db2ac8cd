/** The texts that people send to a run, checked before anything is asked of a server. */
import { buffer as readAll } from 'node:stream/consumers';
import { orAborted } from '../../../config/system/or-aborted.js';
import { utf8Text } from '../../../config/system/utf8-text.js';
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
  return text === '-' ? readInput(stop, NOTHING_SENT) : text;
}

/** All of standard input; null when the person stopped first. Errors: RefusedError with `now` where it is no UTF-8. */
export async function readInput(stop: AbortSignal, now: string): Promise<string | null> {
  const bytes = await orAborted(readAll(process.stdin), stop, () => null);
  if (bytes === null) return null;
  const text = utf8Text(bytes);
  if (text !== null) return text;
  throw new RefusedError({
    what: 'the text on standard input is no UTF-8',
    why: 'it is read as UTF-8; another encoding would change what it says',
    now,
    mend: 'iconv -f latin1 -t utf-8 <file>    makes UTF-8 of such a text, for the same command to read',
  });
}

/** Run ids name branches, folders and workflows, so they are checked in the workflow and again by the host. */
import { redact } from '../text/redact.js';

const RUN_ID = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,79}$/;

export const RUN_ID_RULE = 'letters, digits, _ and -, single dots inside; 1 to 80 characters; not ending in .lock';

export function isRunId(value: unknown): boolean {
  return typeof value === 'string' && RUN_ID.test(value) && !value.toLowerCase().endsWith('.lock');
}

/** A schedule appends a time with colons to a workflow id; the run id replaces each by a dash. */
export function runIdOfWorkflow(workflowId: string): string {
  return workflowId.replaceAll(':', '-');
}

/** What carries no meaning in a name. */
const FILLERS = new Set(
  'a an and at by for from in into is it its of on or so that the then this to when with'.split(' '),
);

/** What the redactor puts in the place of a secret. */
const REDACTED = /\[redacted:[a-z-]+\]/g;

const MAX_WORDS = 4;

/** Longer ones are ids or paths that nobody reads. */
const MAX_WORD_CHARS = 16;

/**
 * An id that speaks: `<up to four words of the first line>-<4 letters>`, in small ASCII letters and digits; `run-<4 letters>` where there are none.
 * Secrets of known shapes give no word, since an id names branches and folders. `random` gives numbers in [0, 1).
 */
export function makeRunId(task: string, random: () => number): string {
  const letters = Array.from({ length: 4 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
  const words = firstWords(task);
  return [...(words.length === 0 ? ['run'] : words), letters].join('-');
}

const MAX_SLUG_CHARS = 40;

/** Up to four words of the first line, in at most 40 small ASCII letters, digits and dashes; empty where there are none. Secrets give no word here either. Source: S-05. */
export function slugOf(task: string): string {
  return firstWords(task).reduce((slug, word) => {
    const longer = slug === '' ? word : `${slug}-${word}`;
    return longer.length <= MAX_SLUG_CHARS ? longer : slug;
  }, '');
}

function firstWords(task: string): readonly string[] {
  const [line] = redact(task)
    .replace(REDACTED, ' ')
    .trim()
    .split(/[\r\n]/, 1);
  return wordsOf(line ?? '').slice(0, MAX_WORDS);
}

function wordsOf(line: string): readonly string[] {
  const ascii = line.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = ascii.split(/[^a-z0-9]+/).filter((word) => word !== '' && word.length <= MAX_WORD_CHARS);
  return words.filter((word) => !FILLERS.has(word));
}

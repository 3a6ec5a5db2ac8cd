/**
 * What a failed agent's last lines mean: the one table from phrases of programs and providers to classes of failure (V-121, V-123).
 * Every pattern is anchored at the start of a line, labels such as `Error:` aside, and none matches a bare number: "500 files" is hard.
 * Pure. Our own outcome line comes first and is exact; docs/agents.md tells how a program writes it.
 */

import { TOLD_KINDS, type ToldKind } from '../../../protocol/run/outcomes.js';
import { readResetTime } from './reset-time.js';

/** The last lines of both outputs, oldest first, without control characters. */
export interface FailedExit {
  readonly exitCode: number | null;
  readonly stderr: readonly string[];
  readonly stdout: readonly string[];
  readonly now: Date;
}

/** Shape: `said` is the line or the words that decided; null: nothing did. `until` is ISO 8601 in UTC and ahead of now. */
export type Failure =
  | { readonly kind: 'usage_limit'; readonly until: string | null; readonly said: string | null }
  | { readonly kind: 'rate_limited'; readonly afterMs: number | null; readonly said: string | null }
  | { readonly kind: 'transient' | 'hard' | PlainTold; readonly said: string | null };

/** What a failed agent says in words alone. */
export type PlainTold = Exclude<ToldKind, 'usage_limit' | 'rate_limited'>;

export function classifyFailure(exit: FailedExit): Failure {
  const told = exit.stderr.at(-1);
  const own = told === undefined ? null : readOutcomeLine(told, exit.now);
  if (own !== null) return own;
  const lines = [...exit.stderr, ...exit.stdout].map((line) => line.slice(0, MAX_LINE_CHARS));
  for (const { kind, pattern } of TABLE) {
    const said = lines.findLast((line) => pattern.test(line));
    if (said !== undefined) return failureOf(kind, said, exit.now);
    if (kind === 'transient' && exit.exitCode === EX_TEMPFAIL) return { kind, said: null };
  }
  return { kind: 'hard', said: null };
}

/** Source: sysexits.h, "temporary failure; the user is invited to retry". */
const EX_TEMPFAIL = 75;

const DAY_MS = 24 * 60 * 60 * 1000;

const MAX_UNTIL_MS = 400 * DAY_MS;

/** Longer than a rate limit lasts. */
const MAX_AFTER_MS = DAY_MS;

const MAX_LINE_CHARS = 1000;

/** Exact, since a program writes it for us. */
const OUTCOME_LINE = /^sluice-outcome: (\w+)(?: (.*))?$/;

const OUTCOME_WORDS = [...TOLD_KINDS, 'transient'] as const;

function readOutcomeLine(line: string, now: Date): Failure | null {
  const match = OUTCOME_LINE.exec(line.trimEnd());
  const rest = match?.[2]?.trim() ?? '';
  const [first = '', ...others] = rest.split(' ');
  const words = (text: string) => (text.trim() === '' ? null : text.trim());
  const kind = OUTCOME_WORDS.find((word) => word === match?.[1]);
  switch (kind) {
    case undefined:
      return null;
    case 'usage_limit': {
      const until = /^until=(.*)$/.exec(first)?.[1];
      return {
        kind,
        until: untilOf(until, now),
        said: words(until === undefined ? rest : others.join(' ')),
      };
    }
    case 'rate_limited': {
      const after = /^after=(.*)$/.exec(first)?.[1];
      return {
        kind,
        afterMs: afterOf(after, 's'),
        said: words(after === undefined ? rest : others.join(' ')),
      };
    }
    default:
      return { kind, said: words(rest) };
  }
}

/** Blanks and the bullets of a terminal program; not those of a list, a diff or a quote. */
const LEAD = String.raw`[ \t⎿■✻•]{0,8}`;

/** `Error:`, `[ERROR]`, `API Error (`, `openai.RateLimitError:`, as they stand before a message. */
const LABEL = String.raw`(?:[\[(]{0,2}(?:(?:(?:api|http|stream|fatal|request) ?)?(?:error|fatal)[\])]?[: (-]{0,4}|[\w.]{0,60}(?:error|exception): ))`;

const HTTP = String.raw`(?:http(?:/[\d.]{1,3})?(?: status| error)?|status(?: code)?|error code)[ :=(]{1,3}`;

/** The last two pass too: an attempt is not started before its own marks have room. */
const ERRNO = 'ECONNRESET|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|EPIPE|ENOSPC|EDQUOT';

/** What node prints before the name of a system error. */
const CALL = String.raw`(?:(?:read|write|connect|getaddrinfo) |code: ['"])`;

/** Where a message may end: prose about a failure goes on with other words. */
const END = String.raw`(?=\s*(?:$|[.:,;!(){}|·"'-]|(?:for|on|until|by|please)\b))`;

/** A message at the start of a line, labels aside. */
function phrase(words: string): RegExp {
  return new RegExp(`^${LEAD}${LABEL}{0,3}(?:${words})${END}`, 'iu');
}

/** An HTTP status that is named as one or that a label stands before, and nothing countable behind: "Error: 429 tests failed" is no status. */
function status(codes: string, names: string): RegExp {
  return new RegExp(
    String.raw`^${LEAD}(?:${LABEL}{0,3}${HTTP}|${LABEL}{1,3})(?:${codes})(?=\s(?:${names})|${END})`,
    'iu',
  );
}

/** The name of an error at the start of a line, or as the type or code of a JSON error there, with its status before it. */
function code(names: string): RegExp {
  const json = String.raw`\{[^{}]{0,400}(?:\{[^{}]{0,400})?["'](?:type|code)["']\s*:\s*["']`;
  return new RegExp(
    String.raw`^${LEAD}${LABEL}{0,3}(?:${HTTP})?(?:\d{3}[ -]{1,3})?(?:${json})?(?:${names})${END}`,
    'iu',
  );
}

interface Row {
  readonly kind: Exclude<Failure['kind'], 'hard'>;
  readonly pattern: RegExp;
}

/** In the order of the classes: the first row that any line matches decides. Each row has a sample in its test. */
const TABLE: readonly Row[] = [
  { kind: 'usage_limit', pattern: phrase(String.raw`(?:[\w-]{1,20} (?:ai )?)?usage limit (?:has been )?reached`) },
  {
    kind: 'usage_limit',
    pattern: phrase(String.raw`you(?:['’]ve| have) (?:hit|reached) your (?:\w{1,20} )?(?:usage )?limit`),
  },
  { kind: 'usage_limit', pattern: phrase('you exceeded your current quota') },
  { kind: 'usage_limit', pattern: phrase("this request would exceed your account['’]s rate limit") },
  { kind: 'usage_limit', pattern: code('insufficient_quota') },
  { kind: 'rate_limited', pattern: status('429', 'too many|rate') },
  { kind: 'rate_limited', pattern: code('rate_limit_error|rate_limit_exceeded') },
  { kind: 'rate_limited', pattern: phrase('rate limit (?:reached|exceeded)') },
  { kind: 'rate_limited', pattern: phrase('too many requests') },
  {
    kind: 'transient',
    pattern: status('500|502|503|504|529', 'internal|bad gateway|service|gateway|overloaded|server error'),
  },
  { kind: 'transient', pattern: code('overloaded_error') },
  {
    kind: 'transient',
    pattern: new RegExp(`^${LEAD}${LABEL}{0,3}(?:${CALL}(?:${ERRNO})\\b|(?:${ERRNO})${END})`, 'iu'),
  },
  { kind: 'transient', pattern: phrase('socket hang up|fetch failed|connection (?:reset|timed out|refused)') },
  { kind: 'overflow', pattern: code('context_length_exceeded') },
  { kind: 'overflow', pattern: phrase('prompt is too long') },
  { kind: 'overflow', pattern: phrase(String.raw`this model['’]s maximum context length is \d{1,9} tokens`) },
];

function failureOf(kind: Row['kind'], said: string, now: Date): Failure {
  const line = said.trim();
  switch (kind) {
    case 'usage_limit':
      return { kind, until: untilSaid(line, now), said: line };
    case 'rate_limited':
      return { kind, afterMs: afterSaid(line), said: line };
    default:
      return { kind, said: line };
  }
}

/** An ISO time, seconds since 1970 behind a bar, a time in words, or "in 2 days 17 hours". */
function untilSaid(line: string, now: Date): string | null {
  const epoch = /\|(\d{10})\b/.exec(line)?.[1];
  if (epoch !== undefined) return untilOf(new Date(Number(epoch) * 1000).toISOString(), now);
  const iso = ISO.exec(line)?.[0];
  if (iso !== undefined) return untilOf(iso, now);
  const duration = /\bin ((?:\d{1,4} (?:day|hour|minute|second)s?[ ,.]{0,2}){1,4})/i.exec(line)?.[1];
  if (duration === undefined) {
    const said = readResetTime(line, now);
    return said === null ? null : untilOf(new Date(said).toISOString(), now);
  }
  const parts = [...duration.matchAll(/(\d{1,4}) (day|hour|minute|second)/gi)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit?.toLowerCase() ?? ''] ?? 0), 0);
  return untilOf(new Date(now.getTime() + ms).toISOString(), now);
}

const ISO = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})/;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  second: 1000,
  m: 60_000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
};

function untilOf(text: string | undefined, now: Date): string | null {
  const iso = ISO.exec(text ?? '')?.[0];
  if (iso === undefined || iso !== text) return null;
  const ahead = Date.parse(iso) - now.getTime();
  return ahead > 0 && ahead <= MAX_UNTIL_MS ? new Date(iso).toISOString() : null;
}

function afterSaid(line: string): number | null {
  const match =
    /\b(?:retry[- ]after|try again in|retry in)[: =]{1,2}(\d{1,6}(?:\.\d{1,6})?) ?(ms|s|second|m|minute)?/i.exec(line);
  return afterOf(match?.[1], match?.[2]?.toLowerCase() ?? 's');
}

function afterOf(count: string | undefined, unit: string): number | null {
  if (count === undefined || !/^\d{1,6}(?:\.\d{1,6})?$/.test(count)) return null;
  const ms = Math.ceil(Number(count) * (UNITS[unit] ?? 0));
  return ms > 0 && ms <= MAX_AFTER_MS ? ms : null;
}

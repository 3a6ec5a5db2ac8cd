/**
 * What an answer of GitHub means, in one table. Pure. A sentence of the forge's decides only where there is nothing else: its second limit has no header of its own.
 * Times in headers are of the forge's clock, which may be wrong: they count from the time that the same answer gives.
 */
import type { ForgeTrouble } from '../../protocol/actors/forge.js';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import { type Fields, fieldsOf, nameIn, textIn } from '../../protocol/text/fields.js';
import { printable } from '../../protocol/text/printable.js';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Of the body, if it is an object. */
  readonly message: string | null;
  /** Unit: ms, by our clock. */
  readonly now: number;
}

/** Where it names no time. Source: docs.github.com, "Best practices for using the REST API": at least a minute. */
const LIMIT_MS = 60_000;

/** Nothing waits longer for one word of a header. */
const MAX_LIMIT_MS = 24 * 3_600_000;

const SECOND_LIMIT = /\bsecondary rate limit\b|\babuse detection\b/i;

const FIRST_LIMIT = /\bAPI rate limit\b/i;

const LACKS_SCOPE = /\bnot accessible by\b|\bmust have (?:admin|push|write)\b|\bwrite access\b|\bscope/i;

const ARCHIVED = /\barchived\b/i;

/** While it works out whether a pull request still merges after its base moved; a rule has the same status. */
const NOT_WORKED_OUT = /\bbase branch was modified\b/i;

/** Of an answer of 300 or more. */
export function troubleOf(answered: Answered): ForgeTrouble {
  const { status, message } = answered;
  const why = `HTTP ${status}${message === null ? '' : `: ${sentence(message)}`}`;
  const limit = limitOf(answered);
  if (limit !== null) return { kind: 'limited', until: new Date(answered.now + limit).toISOString(), why };
  if (status < 400) return { kind: 'moved', why: `HTTP ${status}: the repository has another name now` };
  if (status === 401) return { kind: 'unauthorized', why };
  if (status === 403 && ARCHIVED.test(message ?? '')) return { kind: 'gone', why };
  if (status === 403) return { kind: isScopeMissing(answered) ? 'missing_scope' : 'refused', why };
  if (status === 404 || status === 410 || status === 451) return { kind: 'gone', why };
  if (status >= 500 || status === 408) return { kind: 'unreachable', why };
  if (status === 405 && NOT_WORKED_OUT.test(message ?? '')) return { kind: 'unreachable', why };
  return { kind: 'refused', why };
}

/** Unit: ms from now; null: this is no limit. */
function limitOf({ status, headers, message }: Answered): number | null {
  if (status !== 403 && status !== 429) return null;
  const after = Number(headers['retry-after'] ?? Number.NaN);
  if (Number.isFinite(after)) return clamp(after * 1000);
  if (headers['x-ratelimit-remaining'] === '0') {
    const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
    const date = Date.parse(String(headers['date']));
    return Number.isFinite(reset) && Number.isFinite(date) ? clamp(reset - date) : LIMIT_MS;
  }
  return status === 429 || SECOND_LIMIT.test(message ?? '') ? LIMIT_MS : null;
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 1_000), MAX_LIMIT_MS);
}

function isScopeMissing({ headers, message }: Answered): boolean {
  if (LACKS_SCOPE.test(message ?? '')) return true;
  const words = (name: string) =>
    (nameIn(headers, name) ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  const [needs, has] = [words('x-accepted-oauth-scopes'), words('x-oauth-scopes')];
  return needs.length > 0 && headers['x-oauth-scopes'] !== undefined && !needs.some((scope) => has.includes(scope));
}

/** Types of GraphQL errors that say nothing about what was asked. */
const OWN_TROUBLE = /UNAVAILABLE|INTERNAL|TIMEOUT|STALE/;

/** Of a GraphQL answer, which is HTTP 200 whatever it says. `errors`: not empty. */
export function graphqlTroubleOf(errors: readonly unknown[], answered: Answered): ForgeTrouble {
  const all = errors.map(fieldsOf);
  const types = all.flatMap((error) => nameIn(error, 'type') ?? []);
  const why = sentence(all.map((error) => textIn(error, 'message') ?? 'no message').join('; '));
  if (answered.headers['retry-after'] !== undefined || all.some(isLimit)) {
    const limit = limitOf({ ...answered, status: 429 }) ?? LIMIT_MS;
    return { kind: 'limited', until: new Date(answered.now + limit).toISOString(), why };
  }
  if (types.includes('INSUFFICIENT_SCOPES') || types.includes('FORBIDDEN')) return { kind: 'missing_scope', why };
  if (types.includes('NOT_FOUND')) return { kind: 'gone', why };
  // "Something went wrong while executing your query" has no type, and as those of its own troubles the same query may be answered a moment later.
  return { kind: types.every((type) => OWN_TROUBLE.test(type)) ? 'unreachable' : 'refused', why };
}

/** One limit goes by more than one name there. Source: octokit/plugin-throttling.js#848. */
function isLimit(error: Fields): boolean {
  const said = [nameIn(error, 'type'), nameIn(error, 'code')];
  if (['RATE_LIMITED', 'RATE_LIMIT', 'graphql_rate_limit'].some((name) => said.includes(name))) return true;
  const message = textIn(error, 'message') ?? '';
  return SECOND_LIMIT.test(message) || FIRST_LIMIT.test(message);
}

function sentence(text: string): string {
  return printable(text).slice(0, MAX_SENTENCE_CHARS);
}

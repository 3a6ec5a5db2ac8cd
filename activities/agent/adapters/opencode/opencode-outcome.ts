/**
 * The one table from what OpenCode says to what a turn means: its errors have classes and an HTTP status. What it waits for it tells on stderr
 * alone. Source: packages/opencode/src/cli/cmd/run.ts and session/retry.ts; docs/agents.md "opencode". Each row has a transcript as test.
 */
import type { Meaning, PlainMeaning, Row } from '../../events/cli-turn.js';
import type { OpencodeSaid } from './opencode-events.js';

export const OPENCODE_TABLE: readonly Row<OpencodeSaid>[] = [
  // A provider may end by a word that is none of its library's; a stream that ended without one tells nothing of what was written.
  ({ error, reason, isBroken }) =>
    error === null && (reason === 'stop' || (reason === 'other' && !isBroken)) ? { kind: 'success' } : null,
  ({ error, stderr }) => {
    const said =
      error === null ? stderr.findLast((line) => /(?:^|\bError:? |\s)Session not found\b/i.test(line)) : undefined;
    return said === undefined ? null : { kind: 'unknown_conversation', said: said.trim() };
  },
  ({ error }) =>
    error !== null && (error.name === 'ProviderAuthError' || error.status === 401 || error.status === 403)
      ? meant('login', error.said)
      : null,
  ({ error }) =>
    error !== null && (error.name === 'ContextOverflowError' || error.status === 413)
      ? meant('overflow', error.said)
      : null,
  ({ error }) => (error?.status === 402 ? { kind: 'usage_limit', said: error.said, untilMs: null } : null),
  ({ error }) => (error?.status === 429 ? { kind: 'rate_limited', said: error.said, afterMs: error.afterMs } : null),
  ({ error }) => {
    const isServer = error !== null && error.status !== null && (error.status >= 500 || error.status === 408);
    return isServer || error?.isRetryable === true ? meant('transient', error?.said ?? '') : null;
  },
  ({ error }) => (error === null ? null : { kind: 'told', said: error.said }),
  ({ reason }) =>
    reason === 'content-filter' ? { kind: 'refused', said: 'a filter of the provider stopped its answer' } : null,
  ({ reason }) => (reason === 'length' ? meant('hard', "its answer was cut at the model's limit of output") : null),
  ({ reason }) => (reason === 'other' ? meant('transient', 'its answer broke off') : null),
  ({ stderr }) => {
    // The last line: it is what it waits for, and not what it got over.
    const said = RETRIED.exec((stderr.at(-1) ?? '').slice(0, MAX_LINE_CHARS))?.[1];
    return said === undefined ? null : { kind: 'told', said };
  },
  // Of two that start at once after an install or an update, both make its tables, and one fails.
  ({ error, stderr }) =>
    error === null && QUERY_END.test(stderr.at(-1) ?? '') ? meant('transient', 'its own database refused it') : null,
  ({ reason, denied }) =>
    reason === 'tool-calls' && denied > 0
      ? meant('hard', 'it stopped since a call of a tool was refused; see its permissions')
      : null,
];

/** More is no line of its log, and costs the pattern the cube of its length. */
const MAX_LINE_CHARS = 2_000;

/** The line of its log about a call that failed and is tried again. */
const RETRIED = /\bmessage="stream error" .*\bsmall=false\b.* error\.error="(?:AI_\w{1,40}: )?([^"]{1,500})/;

/** The last line of what it prints of a query of its own that failed; the query stands before it. */
const QUERY_END = /^params:/;

function meant(kind: PlainMeaning, said: string): Meaning {
  return { kind, said };
}

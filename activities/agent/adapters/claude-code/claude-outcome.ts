/**
 * The one table from what Claude Code says to what a turn means. Order matters: its own success first, then what it says by a field,
 * then its words. Each row has a transcript as test. Source: docs/agents.md "claude-code"; anthropics/claude-code#79500 for `subtype`.
 */
import type { Meaning, PlainMeaning, Row, Signals } from '../../events/cli-turn.js';
import type { ClaudeSaid } from './claude-events.js';

export const CLAUDE_TABLE: readonly Row<ClaudeSaid>[] = [
  ({ result }) =>
    result !== null &&
    !result.isError &&
    result.subtype === 'success' &&
    result.apiStatus === null &&
    result.stopReason !== 'refusal'
      ? { kind: 'success' }
      : null,
  (said) => words('unknown_conversation', said, /^No conversation found with session ID/i),
  ({ limit, result }) =>
    limit === null ? null : { kind: 'usage_limit', said: result?.said ?? '', untilMs: limit.untilMs },
  ({ result, errorCode }) =>
    result?.apiStatus === 401 || result?.apiStatus === 403 || LOGIN_CODES.includes(errorCode ?? '')
      ? meant('login', result?.said)
      : null,
  (said) =>
    words(
      'login',
      said,
      /^(?:Not logged in|Invalid API key|Please run \/login|Failed to authenticate)\b|\bPlease run \/login\b/i,
    ),
  ({ result }) => (result?.stopReason === 'refusal' ? meant('refused', result.said) : null),
  (said) =>
    words(
      'overflow',
      said,
      /^(?:API Error: (?:400 )?)?(?:Prompt is too long|Conversation too long|Request too large)\b/i,
    ),
  ({ result }) => (result?.apiStatus === 413 ? meant('overflow', result.said) : null),
  ({ result, retry }) =>
    result?.apiStatus === 429 || (result === null && retry?.status === 429)
      ? { kind: 'rate_limited', said: result?.said ?? '', afterMs: retry?.delayMs ?? null }
      : null,
  ({ result }) => (isServerTrouble(result?.apiStatus) ? meant('transient', result?.said) : null),
  (said) =>
    words(
      'transient',
      said,
      /^API Error: (?:Unable to connect to API|Connection (?:error|closed|reset)|Request timed out|Stream idle timeout)/i,
    ),
  ({ result, errorCode }) =>
    errorCode === 'billing_error' ? { kind: 'usage_limit', said: result?.said ?? '', untilMs: null } : null,
  ({ result }) =>
    result === null
      ? null
      : { kind: 'told', said: result.said === '' ? `it ended as ${result.subtype ?? 'an error'}` : result.said },
];

const LOGIN_CODES: readonly string[] = ['authentication_failed', 'oauth_org_not_allowed'];

function words(kind: PlainMeaning, { result, stderr }: Signals<ClaudeSaid>, pattern: RegExp): Meaning | null {
  // Without a result it says it on stderr alone.
  const lines = result === null ? stderr : [result.said];
  const said = lines.findLast((line) => pattern.test(line.trim()));
  return said === undefined ? null : { kind, said };
}

function meant(kind: PlainMeaning, said: string | undefined): Meaning {
  return { kind, said: said ?? '' };
}

function isServerTrouble(status: number | null | undefined): boolean {
  return status !== null && status !== undefined && (status >= 500 || status === 408);
}

/**
 * The one table from what Codex says to what a turn means. Its errors are sentences, so the rows are their beginnings.
 * Source: openai/codex codex-rs/protocol/src/error.rs; docs/agents.md "codex". Each row has a transcript as test.
 */
import type { Meaning, PlainMeaning, Row, Signals } from '../../events/cli-turn.js';
import type { CodexSaid } from './codex-events.js';

export const CODEX_TABLE: readonly Row<CodexSaid>[] = [
  ({ end }) => (end === 'completed' ? { kind: 'success' } : null),
  (said) => words('unknown_conversation', said, /\bno rollout found\b|^(?:Error: )?no thread with id:/i),
  ({ question, end }) => (question !== null && end === null ? { kind: 'needs_input', said: question } : null),
  (said) => limit(said, /^(?:Quota exceeded\.|Your workspace is out of credits\b|You hit your spend cap\b)/i),
  (said) => words('login', said, /^(?:unexpected status |exceeded retry limit, last status: )40[13]\b/i),
  (said) =>
    words(
      'login',
      said,
      /^(?:Error: )?(?:Not logged in\b|Your access token could not be refreshed\b|Failed to refresh token\b|Missing environment variable: )/i,
    ),
  (said) => words('overflow', said, /\bran out of room in the model['’]s context window\b/i),
  (said) => rate(said, /^(?:exceeded retry limit, last status: |unexpected status )429\b/i),
  (said) => words('transient', said, /^(?:exceeded retry limit, last status: |unexpected status )(?:408|5\d\d)\b/i),
  (said) =>
    words(
      'transient',
      said,
      /^(?:stream disconnected before completion\b|request timed out\b|Connection failed\b|Error while reading the server response\b|Selected model is at capacity\b|We['’]re currently experiencing high demand\b|internal error; agent loop died\b)/i,
    ),
  ({ trouble, end }) => (end === 'failed' ? { kind: 'told', said: trouble ?? '' } : null),
];

/** What the end of the turn said; where there was none, the last trouble and what stands on stderr. */
function linesOf({ trouble, end, stderr }: Signals<CodexSaid>): readonly string[] {
  const told = trouble === null ? [] : [trouble];
  return end === 'failed' ? told : [...stderr.map((line) => line.trim()), ...told];
}

function lineOf(said: Signals<CodexSaid>, pattern: RegExp): string | null {
  return linesOf(said).findLast((line) => pattern.test(line)) ?? null;
}

function words(kind: PlainMeaning, said: Signals<CodexSaid>, pattern: RegExp): Meaning | null {
  const line = lineOf(said, pattern);
  return line === null ? null : { kind, said: line };
}

function limit(said: Signals<CodexSaid>, pattern: RegExp): Meaning | null {
  const line = lineOf(said, pattern);
  return line === null ? null : { kind: 'usage_limit', said: line, untilMs: null };
}

function rate(said: Signals<CodexSaid>, pattern: RegExp): Meaning | null {
  const line = lineOf(said, pattern);
  return line === null ? null : { kind: 'rate_limited', said: line, afterMs: null };
}

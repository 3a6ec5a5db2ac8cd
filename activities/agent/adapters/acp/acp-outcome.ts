/**
 * The one table from what an ACP agent says to what a turn means: its stop reason, or the code, kind and words of its error. Codes from 400 on are
 * those of HTTP. Source: agentclientprotocol.com; docs/agents.md "acp". Each row has a test with a real client and a scripted agent.
 */
import type { Meaning, PlainMeaning, Row } from '../../events/cli-turn.js';
import { classifyFailure } from '../../outcome/failure-table.js';
import type { AcpError, AcpSaid } from './acp-events.js';

export const ACP_TABLE: readonly Row<AcpSaid>[] = [
  ({ asked }) => (asked === null ? null : { kind: 'needs_input', said: asked.question }),
  ({ end }) => (end === 'end_turn' ? { kind: 'success' } : null),
  ({ end }) => (end === 'refusal' ? { kind: 'refused', said: 'it stopped with a refusal' } : null),
  ({ end }) => (end === 'max_tokens' ? hard("its answer was cut at the model's limit of output") : null),
  ({ end }) =>
    end === 'max_turn_requests' ? hard('it made as many calls of its model as a turn of it may have') : null,
  ({ end }) => (end === 'cancelled' ? hard('it says that it was cancelled, and nobody did') : null),
  ({ end }) => (end === null ? null : hard(`it stopped for a reason that is none of ACP: ${end}`)),
  failed(
    'login',
    ({ code, errorKind }) => [-32_000, 401, 403].includes(code ?? 0) || /^authentication(?:_|$)/.test(errorKind),
  ),
  failed('login', ({ lines }) => lines.some((line) => LOGIN.test(line))),
  failed('overflow', ({ code, lines }) => code === 413 || lines.some((line) => OVERFLOW.test(line))),
  ({ error }) => {
    const limit = error?.lines.find((line) => USAGE_LIMIT.test(line));
    return limit === undefined ? null : { kind: 'usage_limit', said: limit, untilMs: null };
  },
  ({ error }) => {
    // Of a limit by the minute and of one by the day it says the same, and only the first has a wait.
    const wait = error?.code === 429 ? waitIn(error.lines) : null;
    return wait === null ? null : { kind: 'rate_limited', ...wait };
  },
  ({ error }) =>
    error !== null && (error.code === 429 || error.errorKind === 'rate_limit')
      ? { kind: 'rate_limited', said: error.lines.join(' · '), afterMs: null }
      : null,
  ({ error }) => {
    const told = error?.lines.find(
      (line) => classifyFailure({ exitCode: 1, stderr: [], stdout: [line], now: new Date(0) }).kind !== 'hard',
    );
    return told === undefined ? null : { kind: 'told', said: told };
  },
  failed(
    'transient',
    ({ code, errorKind }) => isServer(code ?? 0) || errorKind === 'overloaded' || errorKind === 'server_error',
  ),
  failed('unknown_conversation', ({ during }) => during === 'session/resume' || during === 'session/load'),
  ({ error }) => (error === null ? null : hard(`${error.during}: ${error.lines.join(' · ')}`)),
];

const LOGIN =
  /^(?:invalid api key|api key not valid|authentication required|not logged in|please (?:run \/login|log in)|401 |403 )/i;

const OVERFLOW =
  /\bprompt is too long\b|\bcontext_length_exceeded\b|\bmaximum context length\b|\bexceeds the maximum number of tokens\b|\bran out of room in the model['’]s context window\b|\bcontext window (?:is full|exceeded)\b/i;

const USAGE_LIMIT = /^you have exhausted your (?:daily )?(?:quota|capacity)\b/i;

/** In the words of gemini. */
const WAIT = /\b(?:please retry in|suggested retry after) (\d{1,6}(?:\.\d{1,9})?)(ms|s)\b/i;

function waitIn(lines: readonly string[]): { readonly said: string; readonly afterMs: number } | null {
  for (const line of lines) {
    const [said, count, unit] = WAIT.exec(line) ?? [];
    if (said !== undefined) return { said, afterMs: Math.ceil(Number(count) * (unit === 'ms' ? 1 : 1000)) };
  }
  return null;
}

function isServer(code: number): boolean {
  return code === 408 || (code >= 500 && code < 600);
}

function failed(kind: PlainMeaning, fits: (error: AcpError) => boolean): Row<AcpSaid> {
  return ({ error }) => (error !== null && fits(error) ? { kind, said: error.lines.join(' · ') } : null);
}

function hard(said: string): Meaning {
  return { kind: 'hard', said };
}

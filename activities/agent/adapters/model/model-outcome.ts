/**
 * The one table from what a provider answers to what a turn means: HTTP statuses, the providers' own names of errors, codes of the network, and the
 * reason for which an answer ended. Source: the error pages of Anthropic and OpenAI. Each row has a server in test/unit/agent/model that answers so.
 */
import type { Meaning, PlainMeaning, Row } from '../../events/cli-turn.js';
import type { ModelError, ModelSaid } from './model-events.js';

export const MODEL_TABLE: readonly Row<ModelSaid>[] = [
  ({ error, finish }) => (error === null && finish === 'stop' ? { kind: 'success' } : null),
  failed(
    ({ code, status }) => code === 'no_key' || status === 401 || /^authentication_error$|^invalid_api_key$/.test(code),
    'login',
  ),
  // The balance of an account, and not how fast it asks.
  ({ error }) => (error !== null && isSpent(error) ? { kind: 'usage_limit', said: error.said, untilMs: null } : null),
  failed(({ status, code }) => status === 403 || code === 'permission_error', 'login'),
  failed((error) => isTooLong(error), 'overflow'),
  ({ error }) =>
    error !== null && (error.status === 429 || error.code.startsWith('rate_limit'))
      ? { kind: 'rate_limited', said: error.said, afterMs: error.afterMs }
      : null,
  failed(({ code }) => /^(?:content_filter|content_policy_violation|refusal)$/.test(code), 'refused'),
  failed((error) => isPassing(error), 'transient'),
  ({ error }) => (error === null ? null : { kind: 'told', said: error.said }),
  ({ finish }) =>
    finish === 'content-filter' ? { kind: 'refused', said: 'the provider or the model stopped the answer' } : null,
  ({ finish, ending }) =>
    finish === 'length' && ending === 'model_context_window_exceeded'
      ? { kind: 'overflow', said: 'the context window is full' }
      : null,
  ({ finish }) =>
    finish === 'length' ? { kind: 'hard', said: "its answer was cut at the model's limit of output" } : null,
  ({ finish }) => (finish === 'tool-calls' ? { kind: 'hard', said: 'it called a tool, and it has none' } : null),
  ({ finish }) => (finish === null ? null : { kind: 'transient', said: 'the stream ended before the answer did' }),
];

function failed(fits: (error: ModelError) => boolean, kind: PlainMeaning): Row<ModelSaid> {
  return ({ error }) => (error !== null && fits(error) ? ({ kind, said: error.said } satisfies Meaning) : null);
}

function isSpent({ status, code, said }: ModelError): boolean {
  return (
    status === 402 ||
    /^(?:insufficient_quota|billing_error|billing_hard_limit_reached)$/.test(code) ||
    /\bcredit balance is too low\b/i.test(said)
  );
}

/** Providers give it the status of any wrong request, and only some a name. */
function isTooLong({ status, code, said }: ModelError): boolean {
  if (status === 413 || /^(?:context_length_exceeded|request_too_large)$/.test(code)) return true;
  return (status === 400 || status === null) && TOO_LONG.test(said);
}

const TOO_LONG =
  /\b(?:prompt is too long|maximum context length|context window|exceeds? the (?:available )?context|input length and .{0,20}max_tokens. exceed)/i;

function isPassing({ status, code }: ModelError): boolean {
  if (status !== null) return status >= 500 || status === 408 || status === 409 || status === 425;
  return PASSING.test(code);
}

/** In a stream there is no status. The capitals are those of the network. */
const PASSING =
  /^(?:overloaded_error|api_error|timeout_error|server_error|internal_server_error|stream_ended|ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|UND_ERR_\w{1,40})$/;

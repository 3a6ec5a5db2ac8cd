/** How a provider misbehaves on purpose: what it answers instead of a model's words, in the words of each API. */
import type { FaultMarker } from './prompt-markers.js';

/** Which protocol a request speaks, told by its path. */
export type ProviderApi = 'anthropic' | 'responses' | 'chat' | 'gemini';

export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** No byte, until the client goes away. */
  | { readonly kind: 'hang' }
  /** The connection is cut before any byte. */
  | { readonly kind: 'reset' }
  /** The true answer, one byte a second. */
  | { readonly kind: 'trickle' }
  /** The true answer, so much later. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The true answer, once `release` was called. */
  | { readonly kind: 'hold' };

export function apiOf(path: string): ProviderApi | null {
  if (/\/v1\/messages(?:\?|$)/.test(path)) return 'anthropic';
  if (/\/responses(?:\?|$)/.test(path)) return 'responses';
  if (/\/chat\/completions(?:\?|$)/.test(path)) return 'chat';
  return /:(?:stream)?[gG]enerateContent(?:\?|$)/.test(path) ? 'gemini' : null;
}

/** Null: the marker asks for another model's words, not for a fault. `now`: for reset times. */
export function faultOf({ name, settings }: FaultMarker, api: ProviderApi, now: Date): Fault | null {
  const after: Record<string, string> = settings['after'] === undefined ? {} : { 'retry-after': settings['after'] };
  switch (name) {
    case 'rate-limit':
      return refusal(api, {
        status: 429,
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: 'Rate limit reached',
        headers: after,
      });
    case 'usage-limit':
      return usageLimit(api, Math.floor(now.getTime() / 1000), Number(settings['in'] ?? 3600));
    case 'quota':
      return refusal(api, {
        status: 429,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      });
    case 'overflow':
      return overflow(api);
    case 'login':
      if (api === 'gemini') return googleRefusal(400, 'API key not valid. Please pass a valid API key.', {});
      return refusal(api, {
        status: 401,
        type: 'authentication_error',
        code: 'invalid_api_key',
        message: 'invalid x-api-key',
      });
    case 'credit':
      return refusal(api, {
        status: 400,
        type: 'invalid_request_error',
        code: 'billing',
        message:
          'Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade or purchase credits.',
      });
    case 'http-500':
      return refusal(api, { status: 500, type: 'api_error', code: 'server_error', message: 'Internal server error' });
    case 'overloaded':
      return refusal(api, { status: 529, type: 'overloaded_error', code: 'server_overloaded', message: 'Overloaded' });
    case 'slow':
      return { kind: 'slow', ms: Number(settings['seconds']) * 1000 };
    case 'hang':
    case 'reset':
    case 'trickle':
    case 'hold':
      return { kind: name };
    default:
      return null;
  }
}

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusal(api: ProviderApi, { status, type, code, message, headers = {} }: Refusal): Fault {
  if (api === 'gemini') return googleRefusal(status, message, headers);
  const error =
    api === 'anthropic' ? { type: 'error', error: { type, message } } : { error: { message, type, param: null, code } };
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(error),
  };
}

const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** It tells a wait in the body. Source: google.rpc.Status, cloud.google.com/apis/design/errors. */
function googleRefusal(
  code: number,
  message: string,
  { 'retry-after': after }: Readonly<Record<string, string>>,
): Fault {
  const details =
    after === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${after}s` }];
  const error = { code, message, status: GOOGLE_STATUS[code] ?? 'INVALID_ARGUMENT', details };
  return {
    kind: 'answer',
    status: code,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error }),
  };
}

/** Source: what the subscriptions of the two providers answer; others have no reset time to tell. */
function usageLimit(api: ProviderApi, nowSeconds: number, inSeconds: number): Fault {
  const resetsAt = nowSeconds + inSeconds;
  const json = { 'content-type': 'application/json' };
  if (api === 'anthropic')
    return refusal(api, {
      status: 429,
      type: 'rate_limit_error',
      code: '',
      message: "This request would exceed your account's rate limit. Please try again later.",
      headers: {
        'retry-after': String(inSeconds),
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'anthropic-ratelimit-unified-reset': String(resetsAt),
      },
    });
  const error = {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    plan_type: 'plus',
    resets_at: resetsAt,
    resets_in_seconds: inSeconds,
  };
  return { kind: 'answer', status: 429, headers: json, body: JSON.stringify({ error }) };
}

function overflow(api: ProviderApi): Fault {
  if (api === 'anthropic')
    return refusal(api, {
      status: 400,
      type: 'invalid_request_error',
      code: '',
      message: 'prompt is too long: 250000 tokens > 200000 maximum',
    });
  if (api === 'gemini')
    return googleRefusal(
      400,
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      {},
    );
  return refusal(api, {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  });
}

/**
 * What a failed call of a model tells, as plain fields: from the SDK's error of an HTTP answer, from an error that came in the stream, or from the network.
 * It reads and decides nothing; what the fields mean is model-outcome.ts. Headers are read, never printed.
 */
import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { parseJson } from '../../../../protocol/text/json.js';
import { textAt } from '../../events/event-fields.js';

export interface CallError {
  readonly said: string;
  readonly status: number | null;
  readonly code: string;
  readonly afterMs: number | null;
  /** A request that was refused cost nothing; of an answer that broke off nobody knows. */
  readonly usage?: { readonly tokensIn: 0; readonly tokensOut: 0; readonly costMicroUsd: 0 };
}

/** Of a stream that is over before the answer is. */
export const STREAM_ENDED = 'stream_ended';

/** A failure that we tell ourselves. */
export class CallTrouble extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'CallTrouble';
  }
}

const MAX_AFTER_MS = 24 * 60 * 60 * 1000;

export function callErrorOf(error: unknown): CallError {
  const isCall = APICallError.isInstance(error);
  // An answer that breaks off has the status it began with.
  const status = isCall && (error.statusCode ?? 0) >= 400 ? (error.statusCode ?? null) : null;
  const body = isCall ? bodyOf(error) : error;
  const said = messageIn(body) ?? messages(error);
  const code = codeIn(body) ?? innerCode(error) ?? '';
  const afterMs = isCall ? retryAfter(error.responseHeaders ?? {}) : null;
  const isRefused = status !== null && status < 500;
  return { said, status, code, afterMs, ...(isRefused || code === 'no_key' ? { usage: NOTHING } : {}) };
}

const NOTHING = { tokensIn: 0, tokensOut: 0, costMicroUsd: 0 } as const;

function bodyOf({ data, responseBody }: APICallError): unknown {
  return data === undefined ? parseJson(responseBody ?? null) : data;
}

/** Providers wrap it differently: `{error: {…}}`, `{response: {error: {…}}}`, or the error itself. */
const PLACES: readonly (readonly string[])[] = [['error'], ['response', 'error'], []];

function messageIn(body: unknown): string | null {
  return firstText(body, ['message']);
}

/** OpenAI's `code` says more than its `type`; Anthropic has the `type` alone, and `error` as that of the envelope. */
function codeIn(body: unknown): string | null {
  const code = firstText(body, ['code', 'type']);
  return code === 'error' ? null : code;
}

function firstText(body: unknown, names: readonly string[]): string | null {
  for (const place of PLACES) {
    for (const name of names) {
      const text = textAt(body, ...place, name);
      if (text !== null && text !== '') return text;
    }
  }
  return null;
}

function messages(error: unknown): string {
  const texts = chainOf(error).map(({ message }) => message);
  return texts.length === 0
    ? (textAt(error, 'message') ?? 'the provider told an error that has no message')
    : [...new Set(texts)].join(': ');
}

function innerCode(error: unknown): string | null {
  const chain = chainOf(error);
  if (chain.some((inner) => InvalidResponseDataError.isInstance(inner))) return STREAM_ENDED;
  return chain.map((inner) => textAt(inner, 'code')).find((code) => code !== null && code !== '') ?? null;
}

/** The cause of a failed fetch lies a few errors deep. */
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let inner = error; inner instanceof Error && chain.length < 5; inner = inner.cause) chain.push(inner);
  return chain;
}

/** Seconds or a date; OpenAI also tells milliseconds. Null: not told, or longer than a limit of rate lasts. */
function retryAfter(headers: Readonly<Record<string, string>>): number | null {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  const told = headers['retry-after'] ?? '';
  const seconds = /^\d+(?:\.\d+)?$/.test(told) ? Number(told) * 1000 : Date.parse(told) - Date.now();
  const after = Math.ceil(ms > 0 ? ms : seconds);
  return after > 0 && after <= MAX_AFTER_MS ? after : null;
}

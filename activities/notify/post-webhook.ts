/**
 * Tells an address: one POST with the JSON, signed where the policy names a key. It goes to the host that the policy names and to no other:
 * a redirect is an error. The answer's text is never read; neither body, key nor the address's path stands in a failure.
 */
import { createHmac } from 'node:crypto';
import { webhookAddress } from '../../config/keys/webhook-address.js';
import { codeOf } from '../../config/system/error-code.js';
import { type Delivery, failed } from './delivery-failure.js';

export interface Webhook {
  readonly url: string;
  /** The key itself; null: unsigned. */
  readonly key: string | null;
  /** The notification's id, the same over every attempt. */
  readonly id: string;
  readonly limitMs?: number;
}

/** **Unit** ms. */
const LIMIT_MS = 10_000;

export async function postWebhook(webhook: Webhook, body: string, stop: AbortSignal): Promise<Delivery> {
  const { key, id, limitMs = LIMIT_MS } = webhook;
  const url = webhookAddress(webhook.url);
  if (url === null)
    return failed('the address must be https, or http to 127.0.0.1, [::1] or localhost, without a password', {
      later: false,
    });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const limit = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body,
      signal: AbortSignal.any([stop, limit]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'sluice',
        'x-sluice-id': id,
        'x-sluice-timestamp': timestamp,
        ...(key === null ? {} : { 'x-sluice-signature': signatureOf(key, timestamp, body) }),
      },
    });
    await response.body?.cancel();
    return answerOf(response.status);
  } catch (error) {
    return failed(limit.aborted ? `no answer within ${limitMs / 1000} s` : `it cannot be reached: ${reasonOf(error)}`, {
      later: true,
    });
  }
}

/** `sha256=` and the HMAC of `<timestamp>.<body>` in hex. */
export function signatureOf(key: string, timestamp: string, body: string): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`;
}

function answerOf(status: number): Delivery {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status >= 300 && status < 400)
    return failed(`it answered HTTP ${status}; a redirect is not followed`, { later: false });
  const later = status >= 500 || status === 408 || status === 429;
  return failed(`it answered HTTP ${status}`, { later });
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : error;
  return codeOf(cause) ?? 'the connection broke';
}

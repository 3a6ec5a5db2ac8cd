/** Redacts every JSON payload on its way out, so that no known secret shape enters a history. What comes in is left as it is. */
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Json } from '../protocol/text/json.js';
import { redact, redactJson } from '../protocol/text/redact.js';

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

export class RedactingCodec implements PayloadCodec {
  encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads.map(redacted));
  }

  decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads);
  }
}

/** Shape: the payload itself where nothing matches; text is looked at first, since parsing every payload would cost more than it finds. */
function redacted(payload: Payload): Payload {
  const { data } = payload;
  if (data === undefined || data === null || encodingOf(payload) !== 'json/plain') return payload;
  const text = DECODER.decode(data);
  if (redact(text) === text) return payload;
  // The payload converter wrote this text as JSON a moment ago.
  const value = JSON.parse(text) as Json;
  return { ...payload, data: ENCODER.encode(JSON.stringify(redactJson(value))) };
}

function encodingOf(payload: Payload): string {
  const encoding = payload.metadata?.['encoding'];
  return encoding === undefined || encoding === null ? '' : DECODER.decode(encoding);
}

/** Nothing leaves a web server but by this: a value as JSON, every text in it redacted. Pure. */
import { redact } from '../../protocol/text/redact.js';

export function redactedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? redact(part) : part));
}

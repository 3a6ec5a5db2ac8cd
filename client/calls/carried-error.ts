/**
 * An error as data, with all that anybody reads of it: name of its class, message, stack, fields and causes. Pure.
 * At the other end it is no instance of the SDK's classes, which are not loaded there: whoever asks reads names and fields.
 */
import { types } from 'node:util';
import { isRecord } from '../../protocol/text/json.js';
import { isRefusal, RefusedError } from '../../protocol/text/refusal.js';

export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause: CarriedError | null;
}

/** A longer chain of causes is cut. */
const MAX_DEPTH = 20;

export function carryError(error: unknown, depth = 0): CarriedError {
  if (!types.isNativeError(error))
    return { name: 'Error', message: String(error), stack: null, fields: {}, cause: null };
  const { name, message, stack = null, cause } = error;
  const fields = Object.entries(error).filter(([key, value]) => !CARRIED_APART.has(key) && isPlain(value));
  const isLast = cause === undefined || cause === null || depth === MAX_DEPTH;
  return {
    name,
    message,
    stack,
    fields: Object.fromEntries(fields),
    cause: isLast ? null : carryError(cause, depth + 1),
  };
}

export function errorFrom({ name, message, stack, fields, cause }: CarriedError): Error {
  const options = cause === null ? {} : { cause: errorFrom(cause) };
  const { parts, exitCode } = fields;
  if (name === 'RefusedError' && isRefusal(parts))
    return new RefusedError(parts, { ...options, exitCode: exitCode === 3 ? 3 : 1 });
  return Object.assign(new Error(message, options), { name, ...fields, ...(stack === null ? {} : { stack }) });
}

/** `failure`: the SDK keeps it as the server sent it, encoded, beside the fields that it read from it. */
const CARRIED_APART: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'failure']);

/** What JSON writes and reads without a change. */
function isPlain(value: unknown): boolean {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

/**
 * The kind reading of what is sent to a run. Pure, without a schema library: the workflow reads what `temporal workflow signal` sends by hand.
 * Source: docs/messages.md.
 */
import { type Fields, textIn } from '../text/fields.js';
import { isRecord } from '../text/json.js';
import {
  FIELD_LIMITS,
  type FieldKind,
  GATE_DECISIONS,
  kindsOf,
  MESSAGE_ROWS,
  type MessageEvent,
  type RunMessage,
  type RunMessageName,
} from './message-rows.js';

/** Answer of an accepted Update. */
export interface MessageAnswer {
  /** One sentence for people: what is true now. */
  readonly message: string;
  readonly status: string;
  /** False: it was true already, or the same requestId came before. */
  readonly changed: boolean;
}

export type MessageReading<Message = RunMessage> =
  | { readonly kind: 'ok'; readonly message: Message }
  /** `why` is one sentence that names the field. */
  | { readonly kind: 'bad'; readonly why: string };

/** Reads one argument. Missing and null mean `{}`; a bare text is the one that the message must say. */
export function readRunMessage(name: RunMessageName, argument: unknown): MessageReading {
  const fields = fieldsOf(name, argument);
  if (typeof fields === 'string') return bad(fields);
  const kinds = kindsOf(name);
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(kinds, field));
  if (unknown !== undefined)
    return bad(`"${unknown.slice(0, 60)}" is not a field of ${name}; known are ${Object.keys(kinds).join(', ')}`);
  const read: Record<string, string | null> = {};
  for (const [field, kind] of Object.entries(kinds)) {
    const value = textIn(fields, field);
    const why = whyNot(kind, fields[field] ?? null, value);
    if (why !== null) return bad(`${name}.${field} ${why}`);
    if (kind === 'title') read[field] = value?.replace(/\s+/g, ' ') ?? null;
    else read[field] = kind === 'decision' ? (value ?? 'approve') : value;
  }
  const message = { name, ...read } as RunMessage; // Each field is of its kind.
  if (message.name === 'approve' && message.decision === 'request_changes' && message.note === null)
    return bad('approve.note must say which changes are requested');
  return { kind: 'ok', message };
}

/** The line that it leaves in the journal; null: the gate that it decides leaves one. */
export function lineOf(
  message: RunMessage,
): { readonly event: MessageEvent; readonly line: string; readonly text: string | null } | null {
  const { leaves } = MESSAGE_ROWS[message.name];
  if (leaves === null) return null;
  const [field = ''] = Object.keys(MESSAGE_ROWS[message.name].fields);
  const text = textIn({ ...message }, field);
  const who = message.by ?? 'somebody';
  const line = leaves.line.replace(/\{who\}|\{text\}/g, (part) => (part === '{who}' ? who : (text ?? '')));
  return { event: leaves.event, line, text };
}

/** A sentence where the argument cannot be read. */
function fieldsOf(name: RunMessageName, argument: unknown): Fields | string {
  if (argument === undefined || argument === null) return {};
  const kinds = Object.entries(kindsOf(name));
  const bare = kinds.find(([, kind]) => mustSay(kind));
  if (typeof argument === 'string' && bare !== undefined) return { [bare[0]]: argument };
  if (isRecord(argument)) return argument;
  return `the argument of ${name} must be an object like {"${kinds[0]?.[0] ?? 'by'}":"…"}, or be left out`;
}

function mustSay(kind: FieldKind): boolean {
  return kind === 'text' || kind === 'title';
}

/** `value`: what it says; null for what is missing or blank. */
function whyNot(kind: FieldKind, told: unknown, value: string | null): string | null {
  if (told !== null && typeof told !== 'string') return 'must be a text';
  if (value === null) {
    if (mustSay(kind)) return 'must say something';
    // What is there but blank (an empty variable of a script) says nothing, and must not approve.
    return told !== null && (kind === 'exact' || kind === 'decision') ? 'is empty; leave it out, or say it' : null;
  }
  if (value.length > FIELD_LIMITS[kind]) return `has more than ${FIELD_LIMITS[kind]} characters`;
  if (kind === 'decision' && !GATE_DECISIONS.some((known) => known === value))
    return `is "${value.slice(0, 60)}"; known are ${GATE_DECISIONS.join(', ')}`;
  return null;
}

function bad(why: string): MessageReading {
  return { kind: 'bad', why };
}

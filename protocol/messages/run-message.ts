/**
 * The messages that a run takes, each as an Update and as a Signal of one name, and the kind reading of their arguments.
 * Pure, without a schema library: the workflow reads what `temporal workflow signal` sends by hand. Source: docs/messages.md.
 */
import { MAX_BY_CHARS, MAX_NOTE_CHARS, MAX_REQUEST_ID_CHARS, MAX_TITLE_CHARS } from '../limits.js';
import { type Fields, textIn } from '../text/fields.js';

export const RUN_MESSAGES = ['approve', 'pause', 'resume', 'abort', 'steer', 'rename', 'answer'] as const;
export type RunMessageName = (typeof RUN_MESSAGES)[number];

export const GATE_DECISIONS = ['approve', 'reject', 'request_changes'] as const;
export type GateDecision = (typeof GATE_DECISIONS)[number];

interface Sent {
  /** Who sent it, as they say: the run believes the sender, the server decides who may send. */
  readonly by: string | null;
  /** The Update id; the fallback Signal carries it too, so that nothing is applied twice. */
  readonly requestId: string | null;
}

/** A message whose argument was understood. */
export type RunMessage =
  | (Sent & {
      readonly name: 'approve';
      readonly gate: string | null;
      readonly decision: GateDecision;
      readonly note: string | null;
      /** The commit that the person saw; a decision about another tip is refused. */
      readonly commit: string | null;
    })
  | (Sent & { readonly name: 'pause' | 'resume'; readonly note: string | null })
  | (Sent & { readonly name: 'abort'; readonly reason: string | null })
  | (Sent & { readonly name: 'steer'; readonly text: string })
  | (Sent & { readonly name: 'rename'; readonly title: string })
  | (Sent & { readonly name: 'answer'; readonly promptId: string | null; readonly text: string });

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

/** What each message takes, for the reader, docs/messages.md and error texts. */
export const MESSAGE_FIELDS: Readonly<Record<RunMessageName, readonly string[]>> = {
  approve: ['gate', 'decision', 'note', 'commit', 'by', 'requestId'],
  pause: ['note', 'by', 'requestId'],
  resume: ['note', 'by', 'requestId'],
  abort: ['reason', 'by', 'requestId'],
  steer: ['text', 'by', 'requestId'],
  rename: ['title', 'by', 'requestId'],
  answer: ['promptId', 'text', 'by', 'requestId'],
};

/** Reads one argument. Missing and null mean `{}`; a bare text is a steer's or an answer's text, or a rename's title. */
export function readRunMessage(name: RunMessageName, argument: unknown): MessageReading {
  const fields = fieldsOf(name, argument);
  if (typeof fields === 'string') return bad(fields);
  const unknown = Object.keys(fields).find((field) => !MESSAGE_FIELDS[name].includes(field));
  if (unknown !== undefined)
    return bad(`"${unknown.slice(0, 60)}" is not a field of ${name}; known are ${MESSAGE_FIELDS[name].join(', ')}`);
  const wrong = Object.keys(fields).find(
    (field) => fields[field] !== undefined && fields[field] !== null && typeof fields[field] !== 'string',
  );
  if (wrong !== undefined) return bad(`${name}.${wrong} must be a text`);
  const tooLong = Object.keys(fields).find((field) => (textIn(fields, field) ?? '').length > limitOf(field));
  if (tooLong !== undefined) return bad(`${name}.${tooLong} has more than ${limitOf(tooLong)} characters`);
  return messageOf(name, fields);
}

/** Where a bare text goes. */
const BARE: Partial<Record<RunMessageName, string>> = { steer: 'text', answer: 'text', rename: 'title' };

/** A sentence where the argument cannot be read. */
function fieldsOf(name: RunMessageName, argument: unknown): Fields | string {
  if (argument === undefined || argument === null) return {};
  const bare = BARE[name];
  if (typeof argument === 'string' && bare !== undefined) return { [bare]: argument };
  if (typeof argument === 'object' && !Array.isArray(argument)) return argument as Fields; // Just checked: an object that is no list.
  return `the argument of ${name} must be an object like {"${MESSAGE_FIELDS[name][0] ?? 'by'}":"…"}, or be left out`;
}

function messageOf(name: RunMessageName, fields: Fields): MessageReading {
  const sent = { by: textIn(fields, 'by'), requestId: textIn(fields, 'requestId') };
  switch (name) {
    case 'approve':
      return approveOf(sent, fields);
    case 'pause':
    case 'resume':
      return ok({ name, ...sent, note: textIn(fields, 'note') });
    case 'abort':
      return ok({ name, ...sent, reason: textIn(fields, 'reason') });
    case 'steer': {
      const text = textIn(fields, 'text');
      return text === null ? bad('steer.text must say something') : ok({ name, ...sent, text });
    }
    case 'rename': {
      const title = oneLine(textIn(fields, 'title'));
      return title === null ? bad('rename.title must say something') : ok({ name, ...sent, title });
    }
    case 'answer': {
      const text = textIn(fields, 'text');
      if (text === null) return bad('answer.text must say something');
      return ok({ name, ...sent, promptId: textIn(fields, 'promptId'), text });
    }
  }
}

/** What is there but blank (an empty variable of a script) says nothing, and must not approve. */
function approveOf(sent: Sent, fields: Fields): MessageReading {
  const blank = ['decision', 'gate', 'commit'].find(
    (field) => typeof fields[field] === 'string' && textIn(fields, field) === null,
  );
  if (blank !== undefined) return bad(`approve.${blank} is empty; leave it out, or say it`);
  const asked = textIn(fields, 'decision') ?? 'approve';
  const decision = GATE_DECISIONS.find((known) => known === asked);
  if (decision === undefined)
    return bad(`approve.decision is "${asked.slice(0, 60)}"; known are ${GATE_DECISIONS.join(', ')}`);
  const note = textIn(fields, 'note');
  if (decision === 'request_changes' && note === null) return bad('approve.note must say which changes are requested');
  return ok({
    name: 'approve',
    ...sent,
    gate: textIn(fields, 'gate'),
    decision,
    note,
    commit: textIn(fields, 'commit'),
  });
}

function oneLine(text: string | null): string | null {
  return text === null ? null : text.replace(/\s+/g, ' ');
}

function limitOf(field: string): number {
  if (field === 'title') return MAX_TITLE_CHARS;
  if (field === 'requestId') return MAX_REQUEST_ID_CHARS;
  return field === 'text' || field === 'note' || field === 'reason' ? MAX_NOTE_CHARS : MAX_BY_CHARS;
}

function ok(message: RunMessage): MessageReading {
  return { kind: 'ok', message };
}

function bad(why: string): MessageReading {
  return { kind: 'bad', why };
}

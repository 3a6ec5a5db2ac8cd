/**
 * The messages that a run takes, each as an Update and as a Signal of one name, one row each: what it carries, the line that it leaves in the journal,
 * and what docs/messages.md says of it. Types, readers, event names, the report and the page are made of the rows; what a message does is in
 * workflows/run/run-messages.ts, where its refusals stand too.
 */
import {
  LAST_FREE_JOURNAL_EVENTS,
  MAX_BY_CHARS,
  MAX_NOTE_CHARS,
  MAX_REQUEST_ID_CHARS,
  MAX_TITLE_CHARS,
  MAX_WAITING_NOTES,
} from '../limits.js';

export const GATE_DECISIONS = ['approve', 'reject', 'request_changes'] as const;
export type GateDecision = (typeof GATE_DECISIONS)[number];

/** What a field holds, with its longest length. A `text` or a `title` must say something; an `exact` that is there must not be blank. */
export const FIELD_LIMITS = {
  name: MAX_BY_CHARS,
  exact: MAX_BY_CHARS,
  decision: MAX_BY_CHARS,
  requestId: MAX_REQUEST_ID_CHARS,
  note: MAX_NOTE_CHARS,
  text: MAX_NOTE_CHARS,
  title: MAX_TITLE_CHARS,
} as const;
export type FieldKind = keyof typeof FIELD_LIMITS;

interface MessageRow {
  /** Beside `by` and `requestId`, which every message has. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** Null: the gate that it decides leaves one. */
  readonly leaves: Line | null;
  readonly does: string;
  /** When. */
  readonly refused: string;
  /** For `--input`; null: nothing need be said. */
  readonly example: string | null;
  readonly cli: string;
}

/** `line`: with `{who}`, and `{text}` where it tells what the message says. */
interface Line {
  readonly event: `run.${string}`;
  readonly line: string;
}

export const MESSAGE_ROWS = {
  approve: {
    fields: { gate: 'exact', openedAt: 'exact', decision: 'decision', note: 'note', commit: 'exact' },
    leaves: null,
    does: `decides the open gate: \`decision\` is ${GATE_DECISIONS.map((name) => `\`${name}\``).join(', ')}; unsaid it is \`approve\`. \`openedAt\`: when that gate was opened, as it tells itself. \`commit\`: the tip that the person saw. \`request_changes\` needs a \`note\``,
    refused:
      'no gate, or another than `gate` or one of another `openedAt`, is open; `commit` is not the tip; changes are not offered there; a question has no `note`',
    example: '{"decision":"request_changes","note":"keep the old name"}',
    cli: 'sluice approve · reject · approvals decide',
  },
  pause: {
    fields: { note: 'note' },
    leaves: { event: 'run.pause_requested', line: '{who} asks for a pause' },
    does: 'pauses at the next stage boundary',
    refused: `the run is paused, waits at a gate, or has ${LAST_FREE_JOURNAL_EVENTS} events; while a pause is pending it is accepted without effect`,
    example: null,
    cli: 'sluice pause',
  },
  resume: {
    fields: { note: 'note' },
    leaves: { event: 'run.resume_requested', line: '{who} resumes the run' },
    does: 'goes on from the status that the run was paused at, or cancels a pause that is pending',
    refused: 'nothing is paused or pending',
    example: null,
    cli: 'sluice resume',
  },
  abort: {
    fields: { reason: 'note' },
    leaves: { event: 'run.abort_requested', line: '{who} aborts the run' },
    does: 'ends the run `aborted`: what works is ended; worktree, branch and artifacts stay. Native cancellation does the same',
    refused: 'never, while the run is open',
    example: '{"reason":"wrong task"}',
    cli: 'sluice abort',
  },
  steer: {
    fields: { text: 'text' },
    leaves: { event: 'run.steered', line: '{who} says: {text}' },
    does: "puts a text into the next turn's prompt",
    refused: `it says nothing; ${MAX_WAITING_NOTES} texts wait already; the run has ${LAST_FREE_JOURNAL_EVENTS} events`,
    example: '{"text":"use the standard library"}',
    cli: 'sluice steer',
  },
  rename: {
    fields: { title: 'title' },
    leaves: { event: 'run.renamed', line: '{who} calls the run "{text}"' },
    does: `gives the run another title, of at most ${MAX_TITLE_CHARS} characters`,
    refused: `it says nothing; the run has ${LAST_FREE_JOURNAL_EVENTS} events`,
    example: '{"title":"Fix the parser"}',
    cli: 'sluice rename',
  },
  answer: {
    fields: { promptId: 'name', openedAt: 'exact', text: 'text' },
    leaves: null,
    does: 'answers the question of a turn, which is then taken again with the answer; `promptId` is the id of its gate, `openedAt` when that was opened',
    refused: 'no question, or another than `promptId` or one of another `openedAt`, is open; it says nothing',
    example: '{"text":"sqlite"}',
    cli: 'sluice answer',
  },
} as const satisfies Readonly<Record<string, MessageRow>>;

type Rows = typeof MESSAGE_ROWS;
export type RunMessageName = keyof Rows;
export const RUN_MESSAGES = Object.keys(MESSAGE_ROWS) as readonly RunMessageName[]; // The keys of a literal.

type ValueOf<Kind extends FieldKind> = Kind extends 'decision'
  ? GateDecision
  : Kind extends 'text' | 'title'
    ? string
    : string | null;

interface Sent<Name> {
  readonly name: Name;
  /** Who sent it, as they say: the run believes the sender, the server decides who may send. */
  readonly by: string | null;
  /** The Update id; the fallback Signal carries it too, so that nothing is applied twice. */
  readonly requestId: string | null;
}

type MessageOf<Name extends RunMessageName> = Sent<Name> & {
  readonly [Field in keyof Rows[Name]['fields']]: ValueOf<Rows[Name]['fields'][Field] & FieldKind>;
};

/** A message whose argument was understood. */
export type RunMessage = { [Name in RunMessageName]: MessageOf<Name> }[RunMessageName];

/** What decides a gate. */
export type GateMessage = MessageOf<'approve'> | MessageOf<'answer'>;

export function isGateMessage(message: RunMessage): message is GateMessage {
  return message.name === 'approve' || message.name === 'answer';
}

/** The events that messages leave, but for those of gates. */
export type MessageEvent = NonNullable<Rows[RunMessageName]['leaves']>['event'];

const LINES: readonly { readonly event: MessageEvent; readonly line: string }[] = RUN_MESSAGES.flatMap(
  (name) => MESSAGE_ROWS[name].leaves ?? [],
);

export const MESSAGE_EVENTS: readonly MessageEvent[] = LINES.map(({ event }) => event);

/** Those whose line tells the text. */
export const TELLING_EVENTS: readonly string[] = LINES.flatMap(({ event, line }) =>
  line.includes('{text}') ? [event] : [],
);

export function kindsOf(name: RunMessageName): Readonly<Record<string, FieldKind>> {
  return { ...MESSAGE_ROWS[name].fields, by: 'name', requestId: 'requestId' };
}

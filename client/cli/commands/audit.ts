/** `sluice audit`: who decided what about a run, when and about which commit; what was violated and which messages were refused. */
import type { EventType, JournalEvent } from '../../../protocol/messages/journal.js';
import { MESSAGE_EVENTS } from '../../../protocol/messages/message-rows.js';
import { journalOf } from '../find/read-journal.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, type Io } from '../terminal/io.js';
import { sentenceOf } from '../terminal/plain-lines.js';
import { timeText } from '../terminal/time-text.js';

/** Shape: one line of `sluice audit --json`, beside `kind`. */
export interface AuditEntry {
  readonly seq: number;
  readonly timestamp: string;
  readonly type: EventType;
  readonly about: 'decision' | 'message' | 'violation' | 'refused' | 'limit' | 'end';
  /** A person as they said it, `agent`, `validation` or `engine`. */
  readonly who: string;
  readonly commit: string | null;
  readonly what: string;
  readonly note: string | null;
}

const AUDITED: Readonly<Partial<Record<EventType, AuditEntry['about']>>> = {
  'review.decision': 'decision',
  'verification.decision': 'decision',
  'approval.requested': 'decision',
  'approval.approved': 'decision',
  'approval.rejected': 'decision',
  'approval.changes_requested': 'decision',
  'approval.expired': 'decision',
  ...Object.fromEntries(MESSAGE_EVENTS.map((type) => [type, 'message'])),
  'run.rewound': 'message',
  'message.refused': 'refused',
  'policy.violation': 'violation',
  'repository.changed': 'violation',
  'network.refused': 'violation',
  'budget.limit': 'limit',
  'usage_limit.waiting': 'limit',
  'turn.fallback': 'limit',
  'run.completed': 'end',
  'run.failed': 'end',
  'run.aborted': 'end',
};

export async function audit(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  const { run, events } = await journalOf(context, asked);
  const entries = auditOf(events);
  if (!json && entries.length === 0)
    io.out(foreign(`${run.runId}: nobody decided anything, and nothing was refused or violated.`));
  for (const entry of entries) {
    if (json) io.json({ kind: 'audit', runId: run.runId, ...entry });
    else io.out(foreign(auditLine(entry, io)));
  }
  return EXIT.done;
}

export function auditOf(events: readonly JournalEvent[]): readonly AuditEntry[] {
  return events.flatMap((event) => {
    // A foreign type may be the name of something that every object has.
    const about = Object.hasOwn(AUDITED, event.type) ? AUDITED[event.type] : undefined;
    return about === undefined ? [] : [entryOf(event, about)];
  });
}

function entryOf(event: JournalEvent, about: AuditEntry['about']): AuditEntry {
  const { seq, timestamp, type, data } = event;
  const text = (key: string): string | null => {
    const value = data[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    seq,
    timestamp,
    type,
    about,
    // The source of a gate is why it opened, not who decided.
    who: text('by') ?? (type.startsWith('approval.') ? null : text('source')) ?? 'engine',
    commit: text('commit'),
    what: sentenceOf(event),
    note: text('note') ?? text('text') ?? text('why'),
  };
}

export function auditLine(
  { timestamp, about, who, commit, what, note }: AuditEntry,
  io: Pick<Io, 'outIsTerminal'>,
): string {
  const parts = [
    timeText(timestamp, io),
    about.padEnd(9),
    who,
    what,
    ...(commit === null ? [] : [`at ${commit.slice(0, 12)}`]),
    ...(note === null || what.includes(note) ? [] : [`"${note}"`]),
  ];
  return parts.join('  ');
}

/** What a timeline needs of a line of a journal beside its time and type: a few plain values, so that a page is not sent whole journals. Pure. */
import type { EventType, JournalEvent } from '../../protocol/messages/journal.js';

export type LineFacts = Readonly<Record<string, string | number | boolean | null>>;

const GATE = ['gate', 'stage', 'by'];
const TURN_END = ['stage', 'seq', 'agent', 'outcome', 'durationMs', 'tokensIn', 'tokensOut', 'costMicroUsd', 'started'];

const FACTS = {
  'turn.started': ['stage', 'agent'],
  'turn.completed': TURN_END,
  'turn.failed': TURN_END,
  'turn.retried': ['stage', 'outcome', 'waitMs'],
  'usage_limit.waiting': ['agent'],
  'validation.started': ['commands'],
  'validation.command.completed': ['command', 'status', 'durationMs'],
  'worktree.setup.completed': ['command'],
  'approval.requested': GATE,
  'approval.approved': GATE,
  'approval.rejected': GATE,
  'approval.changes_requested': GATE,
  'approval.expired': GATE,
} as const satisfies Partial<Record<EventType, readonly string[]>>;

/** Null: a timeline needs none of it. What is no plain value is left out, for anybody may have written the line. */
export function pickFacts({ type, data }: Pick<JournalEvent, 'type' | 'data'>): LineFacts | null {
  const names: readonly string[] = Object.hasOwn(FACTS, type) ? FACTS[type as keyof typeof FACTS] : [];
  const facts = names.flatMap((name) => {
    const value = data[name];
    return value === undefined || (value !== null && typeof value === 'object') ? [] : [[name, value] as const];
  });
  return facts.length === 0 ? null : Object.fromEntries(facts);
}

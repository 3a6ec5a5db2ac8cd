/** When a run waited for people, from its journal alone: at gates, each with who decided it, and while it was paused. Pure. */
import type { EventType, JournalEvent } from '../messages/journal.js';

export interface GateWait {
  readonly requested: JournalEvent;
  /** Null: open until the run ended. */
  readonly decided: JournalEvent | null;
}

const DECISIONS: readonly EventType[] = [
  'approval.approved',
  'approval.rejected',
  'approval.changes_requested',
  'approval.expired',
];

/** In the order in which they were opened. */
export function listGateWaits(events: readonly JournalEvent[]): readonly GateWait[] {
  const pairing = {
    first: 'approval.requested',
    next: DECISIONS,
    about: ({ data }: JournalEvent) => data['gate'],
  } as const;
  return withNext(events, pairing).map(([requested, decided]) => ({ requested, decided }));
}

/** Unit: ms. A run that ended at a gate or in a pause waited until then. */
export function measureWaits(events: readonly JournalEvent[], endedAt: string): number {
  const gates = listGateWaits(events).map(({ requested, decided }) => between(requested, decided, endedAt));
  const pairing = { first: 'run.paused', next: ['run.resumed'], about: () => null } as const;
  const pauses = withNext(events, pairing).map(([paused, resumed]) => between(paused, resumed, endedAt));
  return [...gates, ...pauses].reduce((total, ms) => total + ms, 0);
}

interface Pairing {
  readonly first: EventType;
  readonly next: readonly EventType[];
  readonly about: (event: JournalEvent) => unknown;
}

/** Each first event, with the next one behind it that is about the same. In one walk, from the end: anybody may have written a journal, as long as they liked. */
function withNext(
  events: readonly JournalEvent[],
  { first, next, about }: Pairing,
): readonly (readonly [JournalEvent, JournalEvent | null])[] {
  const behind = new Map<unknown, JournalEvent>();
  const pairs: (readonly [JournalEvent, JournalEvent | null])[] = [];
  for (const event of events.toReversed()) {
    if (event.type === first) pairs.push([event, behind.get(about(event)) ?? null]);
    if (next.includes(event.type)) behind.set(about(event), event);
  }
  return pairs.toReversed();
}

function between(from: JournalEvent, to: JournalEvent | null, endedAt: string): number {
  const ms = Date.parse(to?.timestamp ?? endedAt) - Date.parse(from.timestamp);
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

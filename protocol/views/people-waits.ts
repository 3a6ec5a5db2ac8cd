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
  return events
    .filter((event) => event.type === 'approval.requested')
    .map((requested) => {
      const decided = events.find(
        (event) =>
          event.seq > requested.seq && event.data['gate'] === requested.data['gate'] && DECISIONS.includes(event.type),
      );
      return { requested, decided: decided ?? null };
    });
}

/** Unit: ms. A run that ended at a gate or in a pause waited until then. */
export function measureWaits(events: readonly JournalEvent[], endedAt: string): number {
  const gates = listGateWaits(events).map(({ requested, decided }) => between(requested, decided, endedAt));
  const pauses = events
    .filter((event) => event.type === 'run.paused')
    .map((paused) =>
      between(paused, events.find((event) => event.seq > paused.seq && event.type === 'run.resumed') ?? null, endedAt),
    );
  return [...gates, ...pauses].reduce((total, ms) => total + ms, 0);
}

function between(from: JournalEvent, to: JournalEvent | null, endedAt: string): number {
  const ms = Date.parse(to?.timestamp ?? endedAt) - Date.parse(from.timestamp);
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

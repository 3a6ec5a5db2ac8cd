/** The journal that a replayed run gave its activities to write. */
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { isRecord } from '../../protocol/text/json.js';
import type { ToldCommand } from './tell-commands.js';

/** Of one command, as it is by then. */
export function toldEvents({ args }: ToldCommand): readonly JournalEvent[] {
  return structuredClone(args.flatMap(eventsIn));
}

/** In the order of their numbers; of one that was told twice the last. */
export function inOrder(events: readonly JournalEvent[]): readonly JournalEvent[] {
  return [...new Map(events.map((event) => [event.seq, event])).values()].toSorted((a, b) => a.seq - b.seq);
}

function eventsIn(value: unknown): readonly JournalEvent[] {
  if (Array.isArray(value)) return value.flatMap(eventsIn);
  if (!isRecord(value)) return [];
  return isEvent(value) ? [value] : Object.values(value).flatMap(eventsIn);
}

function isEvent(value: object): value is JournalEvent {
  return ['seq', 'type', 'timestamp', 'message', 'data'].every((name) => name in value);
}

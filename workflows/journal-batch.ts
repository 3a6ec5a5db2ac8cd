/** Cuts the journal's unsent events to what one activity may carry. Pure. */
import type { JournalEvent } from '../protocol/journal.js';

/** The first events that fit, at least one: a host that was away for long gets the rest with the next activities. */
export function firstOf(events: readonly JournalEvent[], maxChars: number): readonly JournalEvent[] {
  let chars = 0;
  const end = events.findIndex((event, index) => {
    chars += JSON.stringify(event).length;
    return index > 0 && chars > maxChars;
  });
  return end === -1 ? events : events.slice(0, end);
}

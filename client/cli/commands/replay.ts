/** `sluice replay`: the timeline of a run from its journal, one line an event, with the time since its start. It starts and changes nothing. */

import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { journalOf } from '../find/read-journal.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { sentenceOf } from '../terminal/plain-lines.js';
import { timeText } from '../terminal/time-text.js';

export async function replay(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  const { run, events } = await journalOf(context, asked);
  if (!json)
    io.out(
      foreign(
        `${run.runId}: ${run.title ?? ''}, ${events.length} events from ${timeText(events[0]?.timestamp ?? run.startedAt, io)}`,
      ),
    );
  for (const { sinceStartMs, event } of timelineOf(events)) {
    if (json) io.json({ kind: 'event', sinceStartMs, ...event });
    else io.out(foreign(`${clockFromStart(sinceStartMs)}  ${sentenceOf(event)}`));
  }
  return EXIT.done;
}

/**
 * Shape: in the order of time, for what a host saw is numbered later than it was; those of one moment in the order of the journal, those without a time
 * at the end. Unit: ms, never below zero; null where an event has no time that can be read.
 */
export function timelineOf(events: readonly JournalEvent[]) {
  const start = Date.parse(events[0]?.timestamp ?? '');
  const timed = events.map((event) => {
    const since = Date.parse(event.timestamp) - start;
    return { event, sinceStartMs: Number.isNaN(since) ? null : Math.max(0, since) };
  });
  const placeOf = ({ sinceStartMs }: (typeof timed)[number]) => sinceStartMs ?? Number.POSITIVE_INFINITY;
  return timed.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0));
}

/** `+h:mm:ss.t`: hours count on, for a gate may stay open for weeks. */
export function clockFromStart(ms: number | null): string {
  if (ms === null) return '+?'.padEnd(11);
  const tenths = Math.floor(ms / 100);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, seconds] = [
    Math.floor(tenths / 36_000),
    Math.floor(tenths / 600) % 60,
    Math.floor(tenths / 10) % 60,
  ];
  return `+${hours}:${two(minutes)}:${two(seconds)}.${tenths % 10}`.padEnd(11);
}

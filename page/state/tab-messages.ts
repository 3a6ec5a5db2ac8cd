/** What the tabs of one browser tell each other about the live stream. Pure. */
import type { StreamEvent } from '../../client/http/shapes.js';
import { type Live, runOf } from './live.js';

export type TabMessage =
  /** The runs that a tab shows. */
  | { readonly kind: 'wants'; readonly tab: string; readonly runs: readonly string[] }
  /** It is gone. */
  | { readonly kind: 'left'; readonly tab: string }
  /** Who leads is new, and asks each tab what it shows. */
  | { readonly kind: 'who' }
  | { readonly kind: 'event'; readonly event: StreamEvent }
  | { readonly kind: 'connected'; readonly is: boolean }
  /** Whether who leads is alive. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' };

/** Of a stream's address, beside the list. */
const MAX_RUNS = 31;

/** The runs that some tab shows, the last asked for first where they are too many. */
export function runsWanted(wants: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...new Set([...wants.values()].toReversed().flat())].slice(0, MAX_RUNS);
}

/** What a tab lacks that comes later than the stream: the same as its events told. */
export function eventsOf(live: Live, runs: readonly string[]): readonly StreamEvent[] {
  const list: readonly StreamEvent[] =
    live.rows === null || live.source === null
      ? []
      : [{ topic: 'list', whole: true, rows: [...live.rows.values()], gone: [], source: live.source }];
  const ofRuns = runs.flatMap((runId): readonly StreamEvent[] => {
    const { events, position, work } = runOf(live, runId);
    if (position === null) return [];
    return [
      { topic: 'run', runId, whole: true, position, events: [...events] },
      { topic: 'work', runId, work },
    ];
  });
  return [...list, ...ofRuns];
}

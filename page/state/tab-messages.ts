/** What the tabs of one browser tell each other about the live stream. Pure. */
import type { Source, StreamEvent } from '../../client/http/shapes.js';
import { type Live, runIn, runOf } from './live.js';

interface OfLeader {
  /** **Unit** ms since 1970, or one more than that of whoever led before, where the clock was set back: it only grows. */
  readonly since: number;
}

/** What a tab shows. `wants`: and it lacks that. `ping`: and it asks whether who leads is alive. */
export interface Shown {
  readonly kind: 'wants' | 'ping';
  readonly tab: string;
  /** Beside the list, without positions. */
  readonly topics: readonly string[];
  /** It is in front. */
  readonly isSeen: boolean;
}

export type TabMessage =
  | Shown
  /** It is gone. */
  | { readonly kind: 'left'; readonly tab: string }
  /** Who leads is new, and asks each tab what it shows. */
  | (OfLeader & { readonly kind: 'leads' })
  | (OfLeader & { readonly kind: 'event'; readonly event: StreamEvent })
  | (OfLeader & { readonly kind: 'connected'; readonly is: boolean })
  | (OfLeader & { readonly kind: 'pong' });

/** Of a stream's address, beside the list. */
const MAX_TOPICS = 31;

/** Whose words count for a tab. One that was halted and goes on says old things, for it does not know yet that another leads. */
export class Leadership {
  private own = 0;
  private newest = 0;

  /** What this tab says with its messages, as the one that led last. */
  get since(): number {
    return this.own;
  }

  /** Another leads by now. */
  get isOver(): boolean {
    return this.own < this.newest;
  }

  /** **Unit** ms since 1970. */
  begin(now: number): void {
    this.own = Math.max(now, this.newest + 1);
    this.newest = this.own;
  }

  /** Whether that message is of the newest of those heard. */
  hears({ since }: OfLeader): boolean {
    if (since < this.newest) return false;
    this.newest = since;
    return true;
  }
}

/** What some tab shows, the last asked for first where it is too much. */
export function topicsWanted(wants: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...new Set([...wants.values()].toReversed().flat())].slice(0, MAX_TOPICS);
}

/** What a tab lacks that comes later than the stream: the same as its events told. */
export function eventsOf(live: Live, topics: readonly string[]): readonly StreamEvent[] {
  const { rows, source, coming } = live;
  const list: readonly StreamEvent[] =
    rows === null || source === null ? [] : [listed(rows, source), { ...listed(new Map(), source), whole: false }];
  const next = coming === null ? [] : [listed(coming.rows, coming.source)];
  return [...list, ...next, ...topics.flatMap((topic) => eventsOfTopic(live, topic))];
}

function listed(rows: NonNullable<Live['rows']>, source: Source): Extract<StreamEvent, { topic: 'list' }> {
  return { topic: 'list', whole: true, rows: [...rows.values()], gone: [], source };
}

function eventsOfTopic(live: Live, topic: string): readonly StreamEvent[] {
  const { batches, limits, landings } = live;
  if (topic === 'batches') return batches === null ? [] : [{ topic, page: batches }];
  if (topic === 'limits') return limits === null ? [] : [{ topic, page: limits }];
  if (topic === 'landings') return landings === null ? [] : [{ topic, page: landings }];
  const runId = runIn(topic);
  if (runId !== null) return eventsOfRun(live, runId);
  if (topic.startsWith('live:')) return eventsOfText(live, topic.slice('live:'.length));
  const id = topic.replace(/^batch:/, '');
  const batch = live.batch.get(id);
  return batch === undefined ? [] : [{ topic: 'batch', id, ...batch }];
}

function eventsOfText(live: Live, key: string): readonly StreamEvent[] {
  const known = live.texts.get(key);
  const [runId = '', turn] = key.split('/');
  return known === undefined ? [] : [{ topic: 'live', runId, turn: Number(turn), whole: true, ...known }];
}

function eventsOfRun(live: Live, runId: string): readonly StreamEvent[] {
  const { events, position, work } = runOf(live, runId);
  if (position === null) return [];
  return [
    { topic: 'run', runId, whole: true, position, events: [...events] },
    { topic: 'work', runId, work },
  ];
}

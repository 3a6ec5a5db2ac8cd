/**
 * The content of metrics.json (V-102) from the journal's events alone: turns, attempts that failed, tokens, cost, times.
 * Tokens and cost are null unless every attempt told them: a partial sum would read as the whole.
 */
import type { JournalEvent } from '../messages/journal.js';
import { measureWaits } from './people-waits.js';

export type Metrics = {
  /** Entries into fixing. */
  readonly rounds: number;
  /** Ended attempts, but those whose agent was not started; `failedAttempts` is a part of it. */
  readonly turns: number;
  readonly failedAttempts: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
  readonly wallMs: number;
  readonly agentMs: number;
  readonly validationMs: number;
  /** At gates and in pauses. */
  readonly waitingForPeopleMs: number;
  /** Between a failed attempt and the next, at most as planned, and for usage limits. */
  readonly backOffMs: number;
  /** The rest of the wall time: the engine's own. */
  readonly engineMs: number;
};

const TURN_ENDS: readonly string[] = ['turn.completed', 'turn.failed'];

export function computeMetrics(events: readonly JournalEvent[], startedAt: string, endedAt: string): Metrics {
  const turns = events.filter(({ type, data }) => TURN_ENDS.includes(type) && data['started'] !== false);
  const commands = events.filter((event) => event.type === 'validation.command.completed');
  const wallMs = Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
  const agentMs = sum(turns, 'durationMs') ?? 0;
  const validationMs = sum(commands, 'durationMs') ?? 0;
  const waitingForPeopleMs = measureWaits(events, endedAt);
  const backOffMs = backedOff(events, endedAt);
  return {
    rounds: events.reduce((most, { data: { round } }) => (typeof round === 'number' ? Math.max(most, round) : most), 0),
    turns: turns.length,
    failedAttempts: turns.filter((event) => event.type !== 'turn.completed').length,
    tokensIn: sum(turns, 'tokensIn'),
    tokensOut: sum(turns, 'tokensOut'),
    costMicroUsd: sum(turns, 'costMicroUsd'),
    wallMs,
    agentMs,
    validationMs,
    waitingForPeopleMs,
    backOffMs,
    engineMs: Math.max(0, wallMs - agentMs - validationMs - waitingForPeopleMs - backOffMs),
  };
}

/** Back-offs, at most as long as they were planned, and usage limits from the wait to its end. */
function backedOff(events: readonly JournalEvent[], endedAt: string): number {
  let total = 0;
  let planned: { readonly since: string; readonly ms: number } | null = null;
  let since: string | null = null;
  const waitUntil = (at: string) => {
    if (since !== null) total += lasted(since, at);
    since = null;
  };
  const backOffUntil = (at: string) => {
    if (planned !== null) total += Math.min(planned.ms, lasted(planned.since, at));
    planned = null;
  };
  for (const { type, timestamp, data } of events) {
    if (type === 'turn.started' || type === 'turn.retried') backOffUntil(timestamp);
    if (type === 'turn.retried' && typeof data['waitMs'] === 'number')
      planned = { since: timestamp, ms: data['waitMs'] };
    // A wait that was told of again, since the limit was met again, is still the same.
    if (type === 'usage_limit.waiting') since ??= timestamp;
    if (type === 'usage_limit.cleared') waitUntil(timestamp);
  }
  waitUntil(endedAt);
  backOffUntil(endedAt);
  return total;
}

function lasted(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

function sum(events: readonly JournalEvent[], field: string): number | null {
  let total = 0;
  for (const event of events) {
    const value = event.data[field];
    if (typeof value !== 'number') return null;
    total += value;
  }
  return events.length === 0 ? null : total;
}

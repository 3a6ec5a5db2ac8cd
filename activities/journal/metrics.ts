/**
 * The content of metrics.json (V-102) from the journal's events alone: turns, attempts that failed, tokens, cost, times.
 * Tokens and cost are null unless every attempt told them: a partial sum would read as the whole.
 */
import type { JournalEvent } from '../../protocol/journal.js';

export type Metrics = {
  /** Ended attempts; `failedAttempts` is a part of it. */
  readonly turns: number;
  readonly failedAttempts: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
  readonly wallMs: number;
  readonly agentMs: number;
  readonly validationMs: number;
  /** Wall time in which neither an agent nor a command ran: the engine's own, waits for people included. */
  readonly engineMs: number;
};

const TURN_ENDS: readonly string[] = ['turn.completed', 'turn.failed'];

export function metricsOf(events: readonly JournalEvent[], startedAt: string, endedAt: string): Metrics {
  const turns = events.filter((event) => TURN_ENDS.includes(event.type));
  const commands = events.filter((event) => event.type === 'validation.command.completed');
  const wallMs = Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
  const agentMs = sum(turns, 'durationMs') ?? 0;
  const validationMs = sum(commands, 'durationMs') ?? 0;
  return {
    turns: turns.length,
    failedAttempts: turns.filter((event) => event.type !== 'turn.completed').length,
    tokensIn: sum(turns, 'tokensIn'),
    tokensOut: sum(turns, 'tokensOut'),
    costMicroUsd: sum(turns, 'costMicroUsd'),
    wallMs,
    agentMs,
    validationMs,
    engineMs: Math.max(0, wallMs - agentMs - validationMs),
  };
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

/**
 * What each stage of a run used, from its journal: turns, time of agents, tokens, money; failed attempts count. Pure.
 * Tokens and cost are null unless every attempt of the stage told them: a partial sum would read as the whole.
 */

import type { JsonObject } from '../text/json.js';
import type { JournalEvent } from './journal.js';

/** Unit: ms; tokens; integer micro-dollars. */
export interface StageUse {
  readonly stage: string;
  readonly turns: number;
  readonly agentMs: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
}

/** In the order in which the stages were first entered. */
export function stageUseOf(events: readonly JournalEvent[]): readonly StageUse[] {
  const stages = new Map<string, JsonObject[]>();
  for (const { type, data } of events) {
    const stage = data['stage'];
    if ((type !== 'turn.completed' && type !== 'turn.failed') || typeof stage !== 'string') continue;
    stages.set(stage, [...(stages.get(stage) ?? []), data]);
  }
  return [...stages].map(([stage, turns]) => ({
    stage,
    turns: turns.length,
    agentMs: sum(turns, 'durationMs') ?? 0,
    tokensIn: sum(turns, 'tokensIn'),
    tokensOut: sum(turns, 'tokensOut'),
    costMicroUsd: sum(turns, 'costMicroUsd'),
  }));
}

function sum(turns: readonly JsonObject[], field: string): number | null {
  let total = 0;
  for (const { [field]: value } of turns) {
    if (typeof value !== 'number') return null;
    total += value;
  }
  return total;
}

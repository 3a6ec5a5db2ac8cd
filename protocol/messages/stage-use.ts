/**
 * What each stage of a run used, from its journal: turns, time of agents, tokens, money; failed attempts count, but those whose agent was not started. Pure.
 * Tokens and cost are null unless every attempt of the stage told them: a partial sum would read as the whole.
 */

import type { Json } from '../text/json.js';
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

type Sums = Omit<StageUse, 'agentMs'> & { readonly agentMs: number | null };

export interface StageUseCount {
  /** What is no attempt of a turn counts for nothing. */
  add(event: JournalEvent): void;
  /** In the order in which the stages were first entered. */
  all(): readonly StageUse[];
}

/** For whoever hears of events one after the other: a journal that anybody may have written has hundreds of thousands. */
export function countStageUse(): StageUseCount {
  const stages = new Map<string, Sums>();
  return {
    add({ type, data }) {
      const { stage } = data;
      if ((type !== 'turn.completed' && type !== 'turn.failed') || typeof stage !== 'string') return;
      if (data['started'] === false) return;
      const sums = stages.get(stage) ?? NOTHING;
      stages.set(stage, {
        stage,
        turns: sums.turns + 1,
        agentMs: plus(sums.agentMs, data['durationMs']),
        tokensIn: plus(sums.tokensIn, data['tokensIn']),
        tokensOut: plus(sums.tokensOut, data['tokensOut']),
        costMicroUsd: plus(sums.costMicroUsd, data['costMicroUsd']),
      });
    },
    all: () => [...stages.values()].map((sums) => ({ ...sums, agentMs: sums.agentMs ?? 0 })),
  };
}

export function stageUseOf(events: readonly JournalEvent[]): readonly StageUse[] {
  const use = countStageUse();
  for (const event of events) use.add(event);
  return use.all();
}

const NOTHING = { turns: 0, agentMs: 0, tokensIn: 0, tokensOut: 0, costMicroUsd: 0 };

function plus(sum: number | null, value: Json | undefined): number | null {
  return sum === null || typeof value !== 'number' ? null : sum + value;
}

/** What is asked about a task, by a host that asks nobody: a small task, planned in one step, unless a test says otherwise. */
import type { AskAnswer, AskInput, AskResult } from '../../protocol/actors/ask.js';
import type { ItemAdmission } from '../../protocol/actors/item-admission.js';
import type { Classification } from '../../protocol/admission/classifier-answer.js';
import { type AskName, DEFAULT_ADMISSION } from '../../protocol/run/admission-policy.js';
import type { StageAgent } from '../../protocol/run/policy.js';

const AGENT: StageAgent = {
  agent: 'script',
  adapter: 'scripted',
  model: null,
  timeoutMs: 60_000,
  fallback: null,
  fallbackAdapter: null,
  account: 'scripted/default',
  extendedModel: null,
};

export function askedOf(part: Partial<ItemAdmission> = {}): ItemAdmission {
  return {
    ...DEFAULT_ADMISSION,
    order: [['classify', 'plan']],
    asks: { dedup: AGENT, classify: AGENT, plan: AGENT },
    usageLimit: { action: 'wait', maxWaitMs: 60_000, maxWaits: 1 },
    budget: { turns: null, minutes: null, microUsd: null, tokens: null, day: null, onLimit: 'stop' },
    heartbeatMs: 10_000,
    killGraceMs: 1_000,
    ledger: 'shop',
    ...part,
  };
}

const SMALL: Classification = {
  scope: 'small',
  confidence: 0.9,
  reason: 'one line',
  questions: [],
  rejectReason: null,
};

export function stubAsk({ ask }: Pick<AskInput, 'ask'>, classification: Partial<Classification> = {}): AskResult {
  const plan = { hash: 'a'.repeat(64), lines: ['1. [modify] change the line'], readsOnly: false };
  const answers: Readonly<Record<AskName, AskAnswer>> = {
    dedup: { ask: 'dedup', resemblance: { of: null, reason: 'it is another one' } },
    classify: { ask: 'classify', classification: { ...SMALL, ...classification } },
    plan: { ask: 'plan', plan },
  };
  return {
    outcome: { kind: 'done' },
    agent: AGENT.agent,
    exitCode: 0,
    durationMs: 10,
    costMicroUsd: 0,
    tokens: 0,
    started: true,
    why: null,
    answer: answers[ask],
  };
}

export function failedAsk(why: string): AskResult {
  return { ...stubAsk({ ask: 'plan' }), answer: null, why };
}

/** Fills in what hosts of earlier versions did not answer, so that a history of theirs replays: no rounds, no gates, nobody asked. */
import type { RunPolicy } from '../protocol/policy.js';

type Later = Omit<
  RunPolicy,
  'preset' | 'stages' | 'agentOf' | 'validationCommands' | 'validationBudgetMs' | 'setupBudgetMs' | 'heartbeatMs' | 'killGraceMs' | 'rounds'
>;

const UNSAID: Later = {
  onValidationFailure: 'fix',
  gates: { stages: [], maxChangeRounds: 3, remindMs: null, escalateMs: null, expireMs: null, unattendedExpireMs: 0 },
  attended: false,
  holdAtCompletion: false,
  permissions: 'auto',
  budget: { turns: null, minutes: null, microUsd: null, onLimit: 'stop' },
  usageLimit: { action: 'stop', maxWaitMs: 0, maxWaits: 0 },
  sinks: [],
};

export function completePolicy(policy: RunPolicy): RunPolicy {
  return { ...UNSAID, ...policy };
}

/** Runs of earlier versions ended at the first failed attempt. */
export function retriesTurns(policy: RunPolicy): boolean {
  return 'usageLimit' in policy;
}

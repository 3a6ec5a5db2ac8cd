/** Who works in a turn: the stage's agent, or the one that stands in for it (V-125). */
import type { TurnStage } from '../../protocol/lifecycle.js';
import type { Policy, StagePolicy } from '../../protocol/policy.js';

/** Model and effort of a stage are meant for its own agent; another works with its own model. Time limit and instructions stay the stage's. */
export function stagePolicyOf(
  policy: Pick<Policy, 'stagePolicies'>,
  turn: { readonly stage: TurnStage; readonly agent?: string },
): StagePolicy {
  const own = policy.stagePolicies[turn.stage];
  if (turn.agent === undefined || turn.agent === own.agent) return own;
  return { ...own, agent: turn.agent, model: null, effort: null };
}

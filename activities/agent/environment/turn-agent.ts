/** Who works in a turn: the stage's agent, or the one that stands in for it (V-125). */
import type { AfterOverflow } from '../../../protocol/messages/messages.js';
import type { Policy, StagePolicy } from '../../../protocol/run/policy.js';
import type { TurnStage } from '../../../protocol/run/stages.js';

/**
 * Model and effort of a stage are meant for its own agent; another works with its own model. Time limit, instructions and template stay the
 * stage's. The larger model of the stage's agent works where the turn was too long for the first.
 */
export function stagePolicyOf(
  policy: Pick<Policy, 'stagePolicies' | 'agents'>,
  turn: { readonly stage: TurnStage; readonly agent: string | null; readonly afterOverflow: AfterOverflow | null },
): StagePolicy {
  const own = policy.stagePolicies[turn.stage];
  if (turn.agent === null || turn.agent === own.agent) {
    const larger = turn.afterOverflow === 'extended' ? policy.agents[own.agent]?.extendedModel : undefined;
    return larger === undefined ? own : { ...own, model: larger };
  }
  return { ...own, agent: turn.agent, model: null, effort: null };
}

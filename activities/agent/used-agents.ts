/** Which of the agents of a policy a run can start: those of its stages, and their fallbacks. */
import type { TurnStage } from '../../protocol/lifecycle.js';
import type { Policy } from '../../protocol/policy.js';

export function usedAgents({ stages, stagePolicies, agents }: Policy): ReadonlySet<string> {
  const turns = stages.filter((stage): stage is TurnStage => stage !== 'validating');
  return new Set(turns.map((stage) => stagePolicies[stage].agent).flatMap((name) => [name, agents[name]?.fallback ?? name]));
}

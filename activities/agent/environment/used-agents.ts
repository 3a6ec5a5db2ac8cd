/** Which of the agents of a policy a run can start: those of its stages, and their fallbacks. */
import type { Policy } from '../../../protocol/run/policy.js';
import { isTurnStage } from '../../../protocol/run/stages.js';

export function listUsedAgents({ stages, stagePolicies, agents }: Policy): ReadonlySet<string> {
  const turns = stages.filter(isTurnStage);
  return new Set(
    turns.map((stage) => stagePolicies[stage].agent).flatMap((name) => [name, agents[name]?.fallback ?? name]),
  );
}

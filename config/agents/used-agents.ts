/** Which of the agents of a policy a run can start: those of its turns, and their fallbacks; and whether they can be started. */
import type { ExecutePolicy } from '../../protocol/run/execute-policy.js';
import type { AgentConfig, Policy } from '../../protocol/run/policy.js';
import { isTurnStage, type TurnStage } from '../../protocol/run/stages.js';
import { describeProblem, type ProgramPlaces, resolveProgram } from '../system/resolve-program.js';
import { findKind } from './kinds.js';

export function listUsedAgents(policy: Policy): ReadonlySet<string> {
  const { stagePolicies, agents } = policy;
  const names = listTurns(policy).map((stage) => stagePolicies[stage].agent);
  return new Set(names.flatMap((name) => [name, agents[name]?.fallback ?? name]));
}

/** Whose agents a run needs: those of its stages, and of whoever judges the steps of a plan. */
export function listTurns({
  stages,
  execute: { until, stepCheck },
}: Pick<Policy, 'stages'> & { readonly execute: Pick<ExecutePolicy, 'until' | 'stepCheck'> }): readonly TurnStage[] {
  const turns = stages.filter(isTurnStage);
  const judges = until === 'steps' && stepCheck === 'acceptance' && !turns.includes('verifying');
  return judges ? [...turns, 'verifying'] : turns;
}

/** Why the program of an agent cannot be run; null: it can, or there is none. `path`: unless the agent has a PATH of its own. */
export function findProgramTrouble(agent: AgentConfig, { path, forbidden }: ProgramPlaces): string | null {
  const wanted = agent.command?.[0] ?? findKind(agent).program;
  if (wanted === null) return null;
  const program = resolveProgram(wanted, { path: agent.env['PATH'] ?? path, forbidden });
  return program.kind === 'found' ? null : describeProblem(program);
}

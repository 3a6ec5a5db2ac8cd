/** Which of the agents of a policy a run can start: those of its stages, and their fallbacks; and whether they can be started. */
import type { AgentConfig, Policy } from '../../protocol/run/policy.js';
import { isTurnStage } from '../../protocol/run/stages.js';
import { describeProblem, type ProgramPlaces, resolveProgram } from '../system/resolve-program.js';
import { findKind } from './kinds.js';

export function listUsedAgents({ stages, stagePolicies, agents }: Policy): ReadonlySet<string> {
  const turns = stages.filter(isTurnStage);
  return new Set(
    turns.map((stage) => stagePolicies[stage].agent).flatMap((name) => [name, agents[name]?.fallback ?? name]),
  );
}

/** Why the program of an agent cannot be run; null: it can, or there is none. `path`: unless the agent has a PATH of its own. */
export function findProgramTrouble(agent: AgentConfig, { path, forbidden }: ProgramPlaces): string | null {
  const wanted = agent.command?.[0] ?? findKind(agent).program;
  if (wanted === null) return null;
  const program = resolveProgram(wanted, { path: agent.env['PATH'] ?? path, forbidden });
  return program.kind === 'found' ? null : describeProblem(program);
}

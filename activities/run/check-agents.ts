/** Every agent of the run's stages, and what stands in for it (V-125), must be known and its program runnable before anything is made. */
import { findKind } from '../../config/agents/kinds.js';
import { resolveProgram } from '../../config/resolve-program.js';
import type { TurnStage } from '../../protocol/lifecycle.js';
import type { Policy } from '../../protocol/policy.js';
import type { Repository } from '../git/contract.js';
import { badAgent, programProblem } from './turn-failures.js';

export interface AgentSurroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly repository: Repository;
  readonly worktree: string;
}

const NOW = 'Nothing was started.';

/** Errors: BadAgent. */
export function checkAgents(policy: Policy, { env, repository, worktree }: AgentSurroundings): void {
  const stages = policy.stages.filter((stage): stage is TurnStage => stage !== 'validating');
  const own = stages.map((stage) => policy.stagePolicies[stage].agent);
  const fallbacks = own.map((name) => policy.agents[name]?.fallback ?? null).filter((name) => name !== null);
  for (const name of new Set([...own, ...fallbacks])) {
    const config = policy.agents[name];
    if (config === undefined) throw badAgent(`the agent "${name}" is not configured`, NOW);
    const wanted = config.command?.[0] ?? findKind(config).program;
    if (wanted === null) continue;
    const path = config.env['PATH'] ?? env['PATH'] ?? '';
    const program = resolveProgram(wanted, { path, forbidden: [repository.root, worktree] });
    if (program.kind === 'found') continue;
    const what = `the program of agent "${name}" cannot be run: ${programProblem(program)}`;
    throw config.command === null ? badAgent(what, NOW, installed(name)) : badAgent(what, NOW);
  }
}

/** Of a coding CLI that nobody named by its place. */
function installed(name: string): string {
  return `Install it, or say where it is by agents.${name}.command, and look: sluice config`;
}

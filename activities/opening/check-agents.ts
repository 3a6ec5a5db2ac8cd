/** Every agent of the run's stages, and what stands in for it (V-125), must be known and its program runnable before anything is made. */
import { findProgramTrouble, listUsedAgents } from '../../config/agents/used-agents.js';
import type { Policy } from '../../protocol/run/policy.js';
import type { Repository } from '../git/start/contract.js';
import { badAgent } from '../turn/turn-failures.js';

export interface AgentSurroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly repository: Repository;
  readonly worktree: string;
}

const NOW = 'Nothing was started.';

/** Errors: BadAgent. */
export function checkAgents(policy: Policy, { env, repository, worktree }: AgentSurroundings): void {
  for (const name of listUsedAgents(policy)) {
    const config = policy.agents[name];
    if (config === undefined) throw badAgent(`the agent "${name}" is not configured`, NOW);
    const trouble = findProgramTrouble(config, { path: env['PATH'] ?? '', forbidden: [repository.root, worktree] });
    if (trouble === null) continue;
    const what = `the program of agent "${name}" cannot be run: ${trouble}`;
    throw config.command === null ? badAgent(what, NOW, installed(name)) : badAgent(what, NOW);
  }
}

/** Of a coding CLI that nobody named by its place. */
function installed(name: string): string {
  return `Install it, or say where it is by agents.${name}.command, and look: sluice config`;
}

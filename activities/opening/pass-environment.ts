/**
 * Takes the variables that an agent's config names (`agents.<name>.passEnv`) from the worker's environment into the run's own copy of the policy, so
 * that a login by variable works and no secret stands in a file of the repository. Taken once, when the run opens, as the allowlist is.
 */

import { listUsedAgents } from '../../config/agents/used-agents.js';
import type { AgentConfig, Policy } from '../../protocol/run/policy.js';
import { badAgent } from '../turn/turn-failures.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Errors: BadAgent where an agent of the run needs what the worker does not have. */
export function withPassedEnvironment(policy: Policy, environment: Environment): Policy {
  const used = listUsedAgents(policy);
  const agents = Object.entries(policy.agents).map(([name, agent]): [string, AgentConfig] => {
    const passed = (agent.passEnv ?? []).map((variable) => [variable, environment[variable] ?? ''] as const);
    const missing = passed.find(([, value]) => value === '');
    if (missing !== undefined && used.has(name)) throw missingVariable(name, missing[0]);
    return [name, passed.length === 0 ? agent : { ...agent, env: { ...agent.env, ...Object.fromEntries(passed) } }];
  });
  return { ...policy, agents: Object.fromEntries(agents) };
}

function missingVariable(agent: string, variable: string): Error {
  return badAgent(
    `the agent "${agent}" is to be passed ${variable} (agents.${agent}.passEnv), and the worker's environment does not have it: ` +
      `export ${variable}=… && sluice up --restart`,
    'Nothing was started.',
  );
}

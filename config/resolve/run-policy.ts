/** What of a policy the workflow is told: no program, and of each agent whose usage limit it works under. */

import { roundStart } from '../../protocol/run/next-stage.js';
import { hostSinks, type Policy, type RunPolicy, type StageAgent, TOLD } from '../../protocol/run/policy.js';
import { forTurnStages, type TurnStage } from '../../protocol/run/stages.js';
import { accountOf } from '../agents/account.js';

export function runPolicyOf(policy: Policy): RunPolicy {
  const agentOf = (stage: TurnStage): StageAgent | null => {
    const { agent, model, timeoutMs } = policy.stagePolicies[stage];
    const config = policy.agents[agent];
    if (config === undefined) return null;
    const { adapter, fallback, extendedModel = null } = config;
    return {
      agent,
      adapter,
      model: model ?? config.model,
      timeoutMs,
      fallback,
      fallbackAdapter: fallback === null ? null : (policy.agents[fallback]?.adapter ?? null),
      account: accountOf(agent, config),
      extendedModel,
    };
  };
  // Each field is that of its own name.
  const told = Object.fromEntries(TOLD.map((name) => [name, policy[name]])) as Pick<Policy, (typeof TOLD)[number]>;
  return {
    ...told,
    agentOf: forTurnStages(agentOf),
    validationCommands: policy.checks.validation.commands.length,
    validationBudgetMs: policy.checks.validation.commands.length * policy.checks.validation.timeoutMs,
    setupBudgetMs: policy.worktree.setup.length === 0 ? 0 : policy.worktree.setupTimeoutMs,
    heartbeatMs: policy.limits.heartbeatMs,
    killGraceMs: policy.limits.killGraceMs,
    rounds: roundStart(policy.stages) === null ? 0 : policy.rounds,
    onValidationFailure: policy.checks.validation.onFailure,
    sinks: hostSinks(policy.notify).map((sink) => sink.kind),
    landing: policy.landing.mode,
  };
}

/** What of a policy the workflow is told: no program, and of each agent whose usage limit it works under. */

import type { ItemAdmission } from '../../protocol/actors/item-admission.js';
import { asksOf, isCompared } from '../../protocol/run/admission-policy.js';
import { roundStart } from '../../protocol/run/next-stage.js';
import {
  hostSinks,
  type Policy,
  type RunPolicy,
  type StageAgent,
  type StagePolicy,
  TOLD,
} from '../../protocol/run/policy.js';
import { forTurnStages } from '../../protocol/run/stages.js';
import { accountOf } from '../agents/account.js';

export function runPolicyOf(policy: Policy): RunPolicy {
  // Each field is that of its own name.
  const told = Object.fromEntries(TOLD.map((name) => [name, policy[name]])) as Pick<Policy, (typeof TOLD)[number]>;
  return {
    ...told,
    agentOf: forTurnStages((stage) => agentOf(policy, policy.stagePolicies[stage])),
    validationCommands: policy.checks.validation.commands.length,
    validationBudgetMs: policy.checks.validation.commands.length * policy.checks.validation.timeoutMs,
    setupBudgetMs: policy.worktree.setup.length === 0 ? 0 : policy.worktree.setupTimeoutMs,
    heartbeatMs: policy.limits.heartbeatMs,
    killGraceMs: policy.limits.killGraceMs,
    rounds: roundStart(policy.stages) === null ? 0 : policy.rounds,
    onValidationFailure: policy.checks.validation.onFailure,
    sinks: hostSinks(policy.notify).map((sink) => sink.kind),
    landing: policy.landing.mode,
    ...executeOf(policy),
  };
}

/** A run by one turn is told nothing of it. */
function executeOf({ execute: { until, keepTree, stepCheck } }: Policy): Pick<RunPolicy, 'execute'> {
  return until === 'once' ? {} : { execute: { until, keepTree, stepCheck } };
}

interface Admitted {
  /** Whose day budget its asks use. */
  readonly project: string;
  /** It is taken in whatever it resembles. Source: S-16. */
  readonly force?: boolean | undefined;
}

/** What an item is told of how its task is admitted. Null: it is asked nothing. */
export function itemAdmissionOf(policy: Policy, { project, force = false }: Admitted): ItemAdmission | null {
  const { admission, dedup, usageLimit, budget, limits } = policy;
  const order = asksOf(admission, { ask: dedup.ask && !force });
  if (order.length === 0) return null;
  const asks = Object.fromEntries(
    order.flat().flatMap((ask) => {
      const agent = agentOf(policy, policy.asks[ask]);
      return agent === null ? [] : [[ask, agent]];
    }),
  );
  const { heartbeatMs, killGraceMs } = limits;
  const again = isCompared(admission) && !force ? { comparesAgain: true as const } : {};
  return { ...admission, order, asks, usageLimit, budget, heartbeatMs, killGraceMs, ledger: project, ...again };
}

function agentOf(
  policy: Policy,
  { agent, model, timeoutMs }: Pick<StagePolicy, 'agent' | 'model' | 'timeoutMs'>,
): StageAgent | null {
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
}

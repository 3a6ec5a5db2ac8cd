/** What would have no effect: a gate at a stage that the run never enters, a pull request without a forge, a limit of money that nothing counts. */
import { DEFAULT_LANDING, type LandingMode } from '../../protocol/run/landing-policy.js';
import type { Policy } from '../../protocol/run/policy.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { findKind } from '../agents/kinds.js';
import { firstOf, type Layers, type Sourced } from '../layers/layer-merge.js';
import { problemOf, valueIn } from '../layers/parse-config.js';
import type { Problem } from '../system/config-error.js';
import { unpricedModel } from './model-agents.js';

/**
 * Gates at stages that the run's list does not have. A layer above theirs may choose another list without knowing of them;
 * beside or above the list they are a mistake.
 */
export function idleGates(layers: Layers, landing: LandingMode): Problem[] {
  const rule = 'must be stages of the run, or the gate would never open';
  const listed = (layer: Layers[number]) => valueIn(layer, 'gates.stages')?.value ?? [];
  const list = firstOf(layers, 'stageList');
  const beside = list === null ? [] : layers.slice(0, list.depth + 1);
  const unentered = beside.flatMap((layer) => {
    const idle = listed(layer).filter((stage) => stage !== 'landing' && list?.value.stages.includes(stage) !== true);
    if (idle.length === 0 || list === null) return [];
    const found = `gates.stages has ${idle.join(', ')}, and the stage list is ${list.value.stages.join(', ')} (${list.origin})`;
    return [problemOf(layer, 'gates.stages', { found, rule })];
  });
  const unlanded = layers.filter((layer) => landing === 'off' && listed(layer).includes('landing'));
  const found = 'gates.stages has landing, and landing.mode is off';
  return [...unentered, ...unlanded.map((layer) => problemOf(layer, 'gates.stages', { found, rule }))];
}

/** Where there is a forge it is shown there, unless somebody says otherwise. */
export function landingModeBelow(forgeRepo: string | null): Sourced<LandingMode> {
  return { value: forgeRepo === null ? DEFAULT_LANDING.mode : 'pr', origin: 'default' };
}

/** Pull requests, and nowhere to make them. */
export function unshownPulls(
  layers: Layers,
  { mode, forgeRepo }: { readonly mode: LandingMode; readonly forgeRepo: string | null },
): Problem[] {
  if (mode !== 'pr' || forgeRepo !== null) return [];
  const found = 'landing.mode is pr, and there is no forge.repo';
  const rule = 'a pull request is made on a forge: name its repository, forge.repo: owner/name, or choose another mode';
  return layers
    .filter((layer) => valueIn(layer, 'landing.mode')?.value === mode)
    .map((layer) => problemOf(layer, 'landing.mode', { found, rule }));
}

const MONEY_KEYS = ['budget.run.usd', 'budget.day.usd'] as const;

/** Limits of money where an agent that can work in the run, be it as fallback, tells no cost. */
export function uncountedMoney(
  layers: Layers,
  { agents, stagePolicies }: Pick<Policy, 'agents' | 'stagePolicies'>,
  stages: readonly TurnStage[],
): Problem[] {
  const limits = MONEY_KEYS.filter((key) => layers.some((layer) => valueIn(layer, key) !== null));
  // The list of prices is read only where somebody counts.
  if (limits.length === 0) return [];
  const silent = stages
    .flatMap((stage) => {
      const { agent, model } = stagePolicies[stage];
      const fallback = agents[agent]?.fallback ?? null;
      return [silenceOf(agents, agent, model), ...(fallback === null ? [] : [silenceOf(agents, fallback, null)])];
    })
    .find((silence) => silence !== null);
  if (silent === undefined || silent === null) return [];
  return limits.flatMap((key) => {
    const { rule } = silent;
    const found = `${key} is set, and ${silent.found}`;
    return layers
      .filter((layer) => valueIn(layer, key) !== null)
      .map((layer) => problemOf(layer, key, { found, rule }));
  });
}

/** Null: what the agent costs is told. `model`: of the stage. */
function silenceOf(
  agents: Policy['agents'],
  name: string,
  model: string | null,
): { readonly found: string; readonly rule: string } | null {
  const config = agents[name];
  if (config === undefined) return null;
  const unpriced = unpricedModel(config, model);
  if (unpriced !== null) {
    return {
      found: `the agent ${name} asks the model ${unpriced}`,
      rule: 'its price is not known, so a limit of money would never be reached',
    };
  }
  if (findKind(config).tellsCost) return null;
  const rule = `the adapter ${config.adapter} tells no cost, so a limit of money would never be reached`;
  return { found: `the agent ${name} has the adapter ${config.adapter}`, rule };
}

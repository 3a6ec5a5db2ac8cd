/**
 * What agents with the adapter `model` cannot do in a run: write, since they see nothing but their prompt and have no tools; and be held to a limit
 * of money where nobody knows the price of their model.
 */
import type { AskName } from '../../protocol/run/admission-policy.js';
import { type AgentConfig, type AskPolicy, defaultTools, type Policy } from '../../protocol/run/policy.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { isPriced } from '../keys/model-price.js';
import { firstOf, type Layers } from '../layers/layer-merge.js';
import { fillPattern } from '../layers/read-keys.js';
import type { Problem } from '../system/config-error.js';
import { problem } from '../system/config-error.js';
import { chosenAgent } from './resolve-agents.js';

type Workers = Pick<Policy, 'agents' | 'stagePolicies'>;

/** Who may not be a model. */
interface Seat {
  readonly agent: string;
  readonly pattern: 'stages.<stage>.agent' | 'asks.<ask>.agent';
  /** In the pattern. */
  readonly name: TurnStage | AskName;
  readonly why: string;
}

/** Stages that write, where a model would work, be it as fallback. */
export function writingModels(layers: Layers, workers: Workers, stages: readonly TurnStage[]): Problem[] {
  const why = 'changes files, and the adapter model only decides and writes text';
  return stages
    .filter((stage) => defaultTools(stage) !== 'read')
    .flatMap((stage) => {
      const { agent } = workers.stagePolicies[stage];
      return modelsAt(layers, workers.agents, { agent, pattern: 'stages.<stage>.agent', name: stage, why });
    });
}

/** A plan by a model, be it as fallback: it would be one of files that it never saw. A run of its own that names a model asks for no plan. */
export function planningModels(layers: Layers, agents: Workers['agents'], { agent }: AskPolicy): Problem[] {
  const kind = layers[chosenAgent(layers, 'asks.<ask>.agent', 'plan')?.depth ?? layers.length]?.kind;
  if (kind === 'run input') return [];
  const why = 'reads the repository, and the adapter model sees nothing but its prompt';
  return modelsAt(layers, agents, { agent, pattern: 'asks.<ask>.agent', name: 'plan', why });
}

function modelsAt(layers: Layers, agents: Workers['agents'], { agent: own, pattern, name, why }: Seat): Problem[] {
  const key = fillPattern(pattern, name);
  const rule = `${name} ${why}; name another agent: ${key}`;
  if (agents[own]?.adapter === 'model') {
    const place = chosenAgent(layers, pattern, name)?.place ?? placeOf(layers, own);
    const found = `the agent ${own} of ${pattern.startsWith('stages') ? 'stage' : 'ask'} ${name} has the adapter model`;
    return [problem('BadConfig', place, { key, found, rule })];
  }
  const fallback = agents[own]?.fallback ?? null;
  if (fallback === null || agents[fallback]?.adapter !== 'model') return [];
  const at = `agents.${own}.fallback`;
  const place = firstOf(layers, 'agents.<name>.fallback', at)?.place ?? placeOf(layers, own);
  return [problem('BadConfig', place, { key: at, found: `${at} is ${fallback}, which has the adapter model`, rule })];
}

/** The name of the model whose price nobody knows, or null. `model`: what a stage names instead of the agent's own. */
export function unpricedModel(
  { adapter, provider, baseUrl, model: own }: AgentConfig,
  model: string | null,
): string | null {
  const asked = model ?? own;
  if (adapter !== 'model' || provider === undefined || asked === null) return null;
  return isPriced({ provider, model: asked, ...(baseUrl === undefined ? {} : { baseUrl }) }) ? null : asked;
}

function placeOf(layers: Layers, name: string): string {
  return firstOf(layers, 'agents.<name>.adapter', `agents.${name}.adapter`)?.place ?? 'config';
}

/**
 * What agents with the adapter `model` cannot do in a run: write, since they see nothing but their prompt and have no tools; and be held to a limit
 * of money where nobody knows the price of their model.
 */
import { type AgentConfig, defaultTools, type Policy } from '../../protocol/run/policy.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { isPriced } from '../keys/model-price.js';
import { firstOf, type Layers } from '../layers/layer-merge.js';
import type { Problem } from '../system/config-error.js';
import { problem } from '../system/config-error.js';
import { chosenAgent } from './resolve-agents.js';

type Workers = Pick<Policy, 'agents' | 'stagePolicies'>;

/** Stages that write, where a model would work, be it as fallback. */
export function writingModels(layers: Layers, workers: Workers, stages: readonly TurnStage[]): Problem[] {
  return stages
    .filter((stage) => defaultTools(stage) !== 'read')
    .flatMap((stage) => {
      const own = workers.stagePolicies[stage].agent;
      const fallback = workers.agents[own]?.fallback ?? null;
      const rule = `${stage} changes files, and the adapter model only decides and writes text; name another agent: stages.${stage}.agent`;
      if (workers.agents[own]?.adapter === 'model') {
        const key = `stages.${stage}.agent`;
        const place = chosenAgent(layers, 'stages.<stage>.agent', stage)?.place ?? placeOf(layers, own);
        return [
          problem('BadConfig', place, { key, found: `the agent ${own} of stage ${stage} has the adapter model`, rule }),
        ];
      }
      if (fallback === null || workers.agents[fallback]?.adapter !== 'model') return [];
      const key = `agents.${own}.fallback`;
      const place = firstOf(layers, 'agents.<name>.fallback', key)?.place ?? placeOf(layers, own);
      return [problem('BadConfig', place, { key, found: `${key} is ${fallback}, which has the adapter model`, rule })];
    });
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

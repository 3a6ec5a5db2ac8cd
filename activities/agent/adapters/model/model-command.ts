/**
 * The command line and environment of a turn of a model. The key of the provider comes by the environment alone; everything else that is asked stands
 * in the arguments, and the prompt is the whole of stdin, so that what the turn keeps of it is what the model read.
 */

import type { ModelProvider } from '../../../../protocol/run/policy.js';
import type { TurnCommand, TurnRequest } from '../../contract.js';
import { makeTurnEnvironment } from '../../environment/turn-environment.js';
import { badSetting } from '../../outcome/bad-setting.js';
import { answerKindOf, schemaRules } from './answer-schema.js';
import { KEY_VARIABLES } from './provider-keys.js';

/** Arguments of node that start the program; what is asked is appended. */
export type ModelEntry = readonly [string, ...string[]];

/** Its requests of structured answers are no promise: such servers often have none. */
const STRUCTURED: Readonly<Record<ModelProvider, boolean>> = {
  anthropic: true,
  openai: true,
  'openai-compatible': false,
};

/** Errors: BadAgent where the config names no provider or model. */
export function modelCommand(turn: TurnRequest, entry: ModelEntry): TurnCommand {
  const { config, stagePolicy } = turn;
  const { provider, baseUrl } = config;
  const model = stagePolicy.model ?? config.model;
  if (provider === undefined || model === null)
    throw badSetting(turn, { key: provider === undefined ? 'provider' : 'model', needs: 'a provider and a model' });
  const answer = STRUCTURED[provider] ? answerKindOf(turn) : 'text';
  const argv: [string, ...string[]] = [
    process.execPath,
    '--no-warnings',
    ...entry,
    '--provider',
    provider,
    '--model',
    model,
    '--answer',
    answer,
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(stagePolicy.effort === null ? [] : ['--effort', stagePolicy.effort]),
  ];
  return { argv, env: makeTurnEnvironment(turn), stdin: `${turn.prompt}${schemaRules(answer)}` };
}

export function modelLogin({ config, stagePolicy }: TurnRequest): string {
  const name = KEY_VARIABLES[config.provider ?? 'openai'];
  return `export ${name}=… && sluice up --restart (with agents.${stagePolicy.agent}.passEnv: [${name}])`;
}

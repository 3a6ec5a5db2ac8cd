/** What the person's own config says of this machine: durability, agent slots, the guard's grace. A project cannot set these. */
import { availableParallelism } from 'node:os';
import { readConfigFile } from '../config/config-text.js';
import { userConfigPath } from '../config/home.js';
import { defaultOf } from '../config/layer-merge.js';
import { parseConfigFile, valueIn } from '../config/parse-config.js';
import type { Durability } from '../activities/process/marks.js';

export interface EngineSettings {
  readonly durability: Durability;
  readonly slots: number;
  readonly orphanGraceMs: number;
}

const MIN_SLOTS = 4;

/** Errors: ConfigError with file:line:column. */
export function readEngineSettings(env: Readonly<Record<string, string | undefined>>): EngineSettings {
  const path = userConfigPath(env);
  const text = readConfigFile(path, path);
  const layer = text === null ? null : parseConfigFile('user', text);
  const value = <K extends 'engine.durability' | 'slots' | 'limits.orphanGrace'>(key: K) => (layer === null ? null : valueIn(layer, key))?.value;
  return {
    durability: value('engine.durability') ?? defaultOf('engine.durability').value,
    slots: value('slots') ?? Math.max(MIN_SLOTS, availableParallelism()),
    orphanGraceMs: value('limits.orphanGrace') ?? defaultOf('limits.orphanGrace').value,
  };
}

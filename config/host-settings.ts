/** Settings of this host, from the user's file alone: they hold for the local engine and its worker, not for one run. */
import type { PlacedText } from './config-text.js';
import type { KeyName, KeyValue } from './keys.js';
import { defaultOf, firstOf } from './layer-merge.js';
import { parseConfigFile } from './parse-config.js';

export interface HostSettings {
  readonly durability: 'process' | 'power';
  readonly ports: { readonly server: number; readonly ui: number };
  /** Turns and validations at once. */
  readonly slots: number;
  /** How long the guard keeps commands while no worker is there. */
  readonly orphanGraceMs: number;
}

/** **Errors** ConfigError where the user's file cannot be used. */
export function resolveHostSettings(user: PlacedText | null): HostSettings {
  const layers = user === null ? [] : [parseConfigFile('user', user)];
  const first = <K extends KeyName>(key: K): KeyValue<K> => (firstOf(layers, key) ?? defaultOf(key)).value;
  return {
    durability: first('engine.durability'),
    ports: { server: first('engine.ports.server'), ui: first('engine.ports.ui') },
    slots: first('slots'),
    orphanGraceMs: first('limits.orphanGrace'),
  };
}

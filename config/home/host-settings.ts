/** Settings of this host, from the user's file alone: they hold for the local engine and its worker, not for one run. */

import type { KeyName } from '../keys/keys.js';
import type { Effective } from '../layers/layer-merge.js';
import { parseConfigFile } from '../layers/parse-config.js';
import { readKey } from '../layers/read-keys.js';
import type { PlacedText } from '../system/config-text.js';

export interface HostSettings {
  readonly durability: 'process' | 'power';
  readonly ports: { readonly server: number; readonly ui: number };
  /** Turns and validations at once. */
  readonly slots: number;
  readonly askSlots: number;
  /** How long the guard keeps commands while no worker is there. */
  readonly orphanGraceMs: number;
  /** Null: no forge rings here. */
  readonly webhook: WebhookSettings | null;
  /** Names by which a tunnel of the person's reaches the page, lower case. */
  readonly webHosts: readonly string[];
}

export interface WebhookSettings {
  readonly port: number;
  /** The worker's variable that has the secret. */
  readonly secretEnv: string;
}

/** **Errors** ConfigError where the user's file cannot be used. */
export function resolveHostSettings(user: PlacedText | null): HostSettings {
  const layers = user === null ? [] : [parseConfigFile('user', user)];
  const read = <K extends KeyName>(key: K): Effective<K> => readKey(layers, key).value;
  return {
    durability: read('engine.durability'),
    ports: { server: read('engine.ports.server'), ui: read('engine.ports.ui') },
    slots: read('slots'),
    askSlots: read('askSlots'),
    orphanGraceMs: read('limits.orphanGrace'),
    webhook: read('engine.webhook'),
    webHosts: read('web.hosts'),
  };
}

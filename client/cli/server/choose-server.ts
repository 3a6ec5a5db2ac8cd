/**
 * Which Temporal server a command talks to. TEMPORAL_ADDRESS or a profile that is not our own engine's address means: that one, and nothing is
 * started. Otherwise the local engine.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { messageOf } from '../../../config/system/error-code.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { SluiceOptions } from '../../sluice.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { isOwnAddress } from './up.js';

export type ServerChoice =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'remote';
      readonly origin: string;
      /** After it the same shell asks the local engine. */
      readonly leave: string;
      readonly options: SluiceOptions;
    };

export async function chooseServer(
  { io, home }: Context,
  { local }: { readonly local: boolean },
): Promise<ServerChoice> {
  if (local || namesNoOther(io.env, home)) return { kind: 'local' };
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const config = readProfile(() => loadClientConnectConfig({ overrideEnvVars: definedOnly(io.env) }));
  const { address, ...rest } = config.connectionOptions;
  if (address === undefined || address === '' || isOwnAddress(home, address)) return { kind: 'local' };
  const named =
    (io.env['TEMPORAL_ADDRESS'] ?? '') === ''
      ? { origin: 'from your Temporal profile', leave: 'eval "$(sluice up)"' }
      : { origin: 'from TEMPORAL_ADDRESS', leave: 'unset TEMPORAL_ADDRESS' };
  const connection = {
    ...(rest.tls === undefined ? {} : { tls: rest.tls }),
    ...(rest.apiKey === undefined ? {} : { apiKey: rest.apiKey }),
    ...(rest.metadata === undefined ? {} : { metadata: rest.metadata }),
  };
  return { kind: 'remote', ...named, options: { address, namespace: config.namespace ?? 'default', connection } };
}

/** What reads variables and profile is a part of the SDK, so it is not loaded where both can say nothing else. */
function namesNoOther(env: NodeJS.ProcessEnv, home: string): boolean {
  const address = env['TEMPORAL_ADDRESS'] ?? '';
  const others = Object.keys(env).filter((name) => name.startsWith('TEMPORAL_') && name !== 'TEMPORAL_ADDRESS');
  return others.length === 0 && (address === '' || isOwnAddress(home, address)) && !profilePaths(env).some(existsSync);
}

/** On every system. Source: temporalio/sdk-typescript, envconfig. */
function profilePaths({ XDG_CONFIG_HOME = '', HOME = '' }: NodeJS.ProcessEnv): readonly string[] {
  return [XDG_CONFIG_HOME, join(HOME, '.config'), join(HOME, 'Library', 'Application Support')].map((folder) =>
    join(folder, 'temporalio', 'temporal.toml'),
  );
}

function readProfile(load: () => ClientConnectConfig): ClientConnectConfig {
  try {
    return load();
  } catch (error) {
    throw new RefusedError({
      what: `your Temporal profile cannot be read: ${foreign(messageOf(error))}`,
      why: 'sluice takes the server from the TEMPORAL_* variables and the profile file, as the temporal command does',
      now: 'Nothing was started.',
      mend: 'mend the file, or use the local engine: sluice run --local …',
    });
  }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * Which Temporal server a command talks to, and the connection to it.
 * TEMPORAL_ADDRESS or a profile that is not our own engine's address means: use that server, start nothing. Otherwise the local engine,
 * which only commands that need it start; looking commands get null and read files.
 */
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { TASK_QUEUE } from '../../protocol/names.js';
import { createSluice, type Sluice, type SluiceOptions } from '../sluice.js';
import { prepareTemporalClient } from '../temporal-client.js';
import { CliError } from './cli-error.js';
import type { Context } from './context.js';
import { foreign } from './io.js';
import { isOwnAddress, lookAtEngine, type RunningEngine, upEngine } from './up.js';

export type ServerChoice =
  | { readonly kind: 'local' }
  | { readonly kind: 'remote'; readonly origin: string; readonly options: SluiceOptions };

export interface Connected {
  readonly sluice: Sluice;
  /** Null where the server is not our own engine. */
  readonly engine: RunningEngine | null;
}

export async function chooseServer({ io, home }: Context, { local }: { readonly local: boolean }): Promise<ServerChoice> {
  if (local) return { kind: 'local' };
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const config = readProfile(() => loadClientConnectConfig({ overrideEnvVars: definedOnly(io.env) }));
  const { address, ...rest } = config.connectionOptions;
  if (address === undefined || address === '' || isOwnAddress(home, address)) return { kind: 'local' };
  const origin = (io.env['TEMPORAL_ADDRESS'] ?? '') === '' ? 'from your Temporal profile' : 'from TEMPORAL_ADDRESS';
  const connection = {
    ...(rest.tls === undefined ? {} : { tls: rest.tls }),
    ...(rest.apiKey === undefined ? {} : { apiKey: rest.apiKey }),
    ...(rest.metadata === undefined ? {} : { metadata: rest.metadata }),
  };
  return { kind: 'remote', origin, options: { address, namespace: config.namespace ?? 'default', connection } };
}

/** Our own engine has just said that its server is up: only a machine under load keeps anybody waiting. */
const OWN_CONNECT_MS = 15_000;

/** For commands that start runs: brings the local engine up, or refuses a server where nobody would work. */
export async function connectToRun(context: Context, options: { readonly local: boolean }): Promise<Connected> {
  // The SDK takes a fifth of a second to load: that goes on beside the engine's start.
  const loading = prepareTemporalClient();
  const choice = await chooseServer(context, options);
  if (choice.kind === 'local') {
    const engine = await upEngine(context, { onProgress: (text) => context.io.err(foreign(text)) });
    await loading;
    return { sluice: await createSluice({ ...engine, connectTimeoutMs: OWN_CONNECT_MS }), engine };
  }
  const sluice = await connectRemote(choice);
  const { workflow } = await sluice.pollers();
  if (workflow > 0) return { sluice, engine: null };
  await sluice.close();
  throw new CliError({
    what: `nobody polls the task queue "${TASK_QUEUE}" at ${foreign(sluice.address)} (${choice.origin})`,
    why: 'a run needs a sluice worker that is connected to the same server and namespace',
    now: 'Nothing was started.',
    mend: 'start one with: sluice worker    or use the local engine: sluice run --local …',
  });
}

/** For commands that look: null when the local engine is down. */
export async function connectToLook(context: Context): Promise<Sluice | null> {
  const choice = await chooseServer(context, { local: false });
  if (choice.kind === 'remote') return connectRemote(choice);
  const engine = await lookAtEngine(context.home).catch(() => null);
  if (engine === null || engine.phase !== 'up') return null;
  return createSluice({ address: engine.address, namespace: engine.namespace }).catch(() => null);
}

async function connectRemote({ options, origin }: Extract<ServerChoice, { kind: 'remote' }>): Promise<Sluice> {
  try {
    return await createSluice(options);
  } catch (error) {
    throw new CliError({
      what: `the Temporal server at ${foreign(options.address)} (${origin}) does not answer`,
      why: `it must be reachable within 2 s: ${foreign(reasonOf(error))}`,
      now: 'Nothing was started.',
      mend: 'start that server, or use the local engine: unset TEMPORAL_ADDRESS    or: sluice run --local …',
    });
  }
}

function readProfile(load: () => ClientConnectConfig): ClientConnectConfig {
  try {
    return load();
  } catch (error) {
    throw new CliError({
      what: `your Temporal profile cannot be read: ${foreign(reasonOf(error))}`,
      why: 'sluice takes the server from the TEMPORAL_* variables and the profile file, as the temporal command does',
      now: 'Nothing was started.',
      mend: 'mend the file, or use the local engine: sluice run --local …',
    });
  }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

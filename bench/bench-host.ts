/**
 * Where the bench works: a home of its own with a local engine from the built files, started as `sluice up` starts it, a person's folder
 * without any config, and a real git repository. `close` ends every process of the home and removes the folder.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { ensureHome } from '../config/home/home.js';
import { readOrMakeHostId } from '../config/home/host-id.js';
import { RedactingCodec } from '../wire/redacting-codec.js';
import { type BenchAgent, makeAgent } from './bench-agent.js';
import { type CliStubs, makeCliStubs } from './cli-stubs.js';
import { endProcessesOf } from './home-processes.js';
import { makeSmallRepository } from './repositories.js';

const OWN_BUILD = fileURLToPath(new URL('../dist', import.meta.url));

const END_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const INTERRUPTED = 130;

export interface BenchHost {
  readonly folder: string;
  readonly home: string;
  readonly repository: string;
  readonly hostId: string;
  /** The command line of the same build. */
  readonly cliMain: string;
  readonly address: string;
  readonly client: Client;
  readonly agent: BenchAgent;
  readonly stubs: CliStubs;
  /** For commands of the bench's person. */
  readonly env: NodeJS.ProcessEnv;
  workerPid(): Promise<number>;
  close(): Promise<void>;
}

export interface BenchHostOptions {
  /** The `dist` folder of another checkout. */
  readonly build?: string;
  /** Another worker than the built one, such as one that notes what it does. */
  readonly workerCommand?: readonly [string, ...string[]];
}

/** Closed by SIGINT and SIGTERM too, which then end the bench. */
export async function openBenchHost({ build = OWN_BUILD, workerCommand }: BenchHostOptions = {}): Promise<BenchHost> {
  const engine = await localEngine(build);
  // Found with the person's own environment: the cache lies in the real home.
  const binary = await engine.findServerBinary({ onProgress: say });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-bench-')));
  const person = join(folder, 'person');
  mkdirSync(person);
  Object.assign(process.env, {
    HOME: person,
    XDG_CONFIG_HOME: join(person, '.config'),
    SLUICE_TEMPORAL_CLI: binary.path,
  });
  const home = ensureHome(join(folder, 'home')).root;
  process.env['SLUICE_HOME'] = home;
  mkdirSync(join(folder, 'agent'));
  const stubs = makeCliStubs(join(folder, 'agent'));
  const agent = makeAgent(join(folder, 'agent'), stubs.configLines);
  const repository = await makeSmallRepository({ home, configText: agent.configText }, join(folder, 'project'));
  const close = async (): Promise<void> => {
    await engine.stopEngine(home, { now: true, liveTurns: async () => 0, endTurns: async () => undefined });
    const left = await endProcessesOf(home);
    for (const { pid, command } of left) say(`had to be ended: ${pid} ${command}`);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const { address, namespace } = await engine.ensureEngine({
      home,
      onProgress: say,
      ...(workerCommand === undefined ? {} : { workerCommand }),
    });
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [new RedactingCodec()] } });
    const workerPid = async () => (await engine.engineStatus(home))?.workerPid ?? 0;
    const closeOnce = async (): Promise<void> => {
      for (const signal of END_SIGNALS) process.off(signal, onSignal);
      // Calls that wait to be tried again throw into nowhere on a closed connection: the engine goes first, it answers them no more.
      await close();
      await connection.close();
    };
    let closing: Promise<void> | null = null;
    // After a signal the bench itself comes to its end too: both wait for the one close.
    const closeAll = () => (closing ??= closeOnce());
    const onSignal = () => void closeAll().finally(() => process.exit(INTERRUPTED));
    for (const signal of END_SIGNALS) process.once(signal, onSignal);
    return {
      folder,
      home,
      repository,
      hostId: readOrMakeHostId(home),
      cliMain: join(build, 'client/cli/main.js'),
      address,
      client,
      agent,
      stubs,
      env: process.env,
      workerPid,
      close: closeAll,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** For people; stdout belongs to the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The built one: it starts the programs that lie beside it. */
async function localEngine(build: string) {
  const load = <T>(path: string): Promise<T> => import(pathToFileURL(join(build, path)).href);
  const [ensured, stop, found] = await Promise.all([
    load<typeof import('../worker/local-engine/control/ensure-engine.js')>(
      'worker/local-engine/control/ensure-engine.js',
    ),
    load<typeof import('../worker/local-engine/control/stop-engine.js')>('worker/local-engine/control/stop-engine.js'),
    load<typeof import('../worker/local-engine/server-binary/find-server-binary.js')>(
      'worker/local-engine/server-binary/find-server-binary.js',
    ),
  ]);
  return { ...ensured, ...stop, ...found };
}

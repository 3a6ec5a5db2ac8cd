/**
 * Where the bench works: a home of its own with a local engine that the built command line brings up and down, a person's folder
 * without any config, and a real git repository. `close` ends every process of the home and removes the folder.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { ensureHome } from '../config/home/home.js';
import { readOrMakeHostId } from '../config/home/host-id.js';
import { FAKE_TOKEN } from '../test/support/forge/fake-forge.js';
import { SEND_AGAIN } from '../test/support/send-again.js';
import { RedactingCodec } from '../wire/redacting-codec.js';
import { ensureEngine } from '../worker/local-engine/control/ensure-engine.js';
import { findServerBinary } from '../worker/local-engine/server-binary/find-server-binary.js';
import { type BenchAgent, makeAgent, timedProcess } from './bench-agent.js';
import { type CliStubs, makeCliStubs } from './cli-stubs.js';
import { endProcessesOf, engineOf } from './home-processes.js';
import { makeSmallRepository } from './repositories.js';

const OWN_CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const ENGINE_MAIN = join(OWN_CHECKOUT, 'dist/worker/local-engine/main.js');

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
  workerPid(): number;
  close(): Promise<void>;
}

export interface BenchHostOptions {
  /** Another built checkout: its command line is what its package.json names. */
  readonly checkout?: string;
  /** Another worker than the built one, such as one that notes what it does; in this checkout alone. */
  readonly workerCommand?: readonly [string, ...string[]];
}

/** Closed by SIGINT and SIGTERM too, which then end the bench. */
export async function openBenchHost({
  checkout = OWN_CHECKOUT,
  workerCommand,
}: BenchHostOptions = {}): Promise<BenchHost> {
  // Found with the person's own environment: the cache lies in the real home.
  const binary = await findServerBinary({ onProgress: say });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-bench-')));
  const person = join(folder, 'person');
  mkdirSync(person);
  const home = ensureHome(join(folder, 'home')).root;
  Object.assign(process.env, {
    HOME: person,
    XDG_CONFIG_HOME: join(person, '.config'),
    SLUICE_TEMPORAL_CLI: binary.path,
    SLUICE_HOME: home,
    // Of no forge but that of the bench.
    GH_TOKEN: FAKE_TOKEN,
  });
  const env = { ...process.env };
  const cliMain = commandLineOf(checkout);
  mkdirSync(join(folder, 'agent'));
  const stubs = makeCliStubs(join(folder, 'agent'));
  const agent = makeAgent(join(folder, 'agent'), stubs.configLines);
  const repository = await makeSmallRepository({ home, configText: agent.configText }, join(folder, 'project'));
  const sluice = (...args: readonly string[]) =>
    timedProcess([process.execPath, cliMain, ...args], { cwd: folder, env });
  const close = async (): Promise<void> => {
    await sluice('down', '--now').catch((error: unknown) => say(String(error)));
    const left = await endProcessesOf(home);
    for (const { pid, command } of left) say(`had to be ended: ${pid} ${command}`);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    if (workerCommand === undefined) await sluice('up');
    else await ensureEngine({ home, engineCommand: [process.execPath, ENGINE_MAIN], workerCommand });
    const { address, namespace } = engineOf(home);
    const connection = await Connection.connect({ address });
    const client = new Client({
      connection,
      namespace,
      dataConverter: { payloadCodecs: [new RedactingCodec()] },
      interceptors: { workflow: [SEND_AGAIN] },
    });
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
      ...{ folder, home, repository, hostId: readOrMakeHostId(home), cliMain, address, client, agent, stubs, env },
      workerPid: () => engineOf(home).worker?.pid ?? 0,
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

function commandLineOf(checkout: string): string {
  const { bin } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { bin: { sluice: string } }; // A checkout of sluice.
  return join(checkout, bin.sluice);
}

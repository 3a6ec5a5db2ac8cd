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
import { holdOpen } from '../test/support/close-at-end.js';
import { FAKE_TOKEN } from '../test/support/forge/fake-forge.js';
import { SEND_AGAIN } from '../test/support/send-again.js';
import { RedactingCodec } from '../wire/redacting-codec.js';
import { ensureEngine } from '../worker/local-engine/control/ensure-engine.js';
import { findServerBinary } from '../worker/local-engine/server-binary/find-server-binary.js';
import { type BenchAgent, makeAgent } from './bench-agent.js';
import { type CliStubs, makeCliStubs } from './cli-stubs.js';
import { endProcessesOf, engineOf, workerPidOf } from './home-processes.js';
import { makeSmallRepository } from './repositories.js';
import { endStarter, timedProcess } from './timed-process.js';

const OWN_CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const ENGINE_MAIN = join(OWN_CHECKOUT, 'dist/worker/local-engine/main.js');

export interface BenchHost {
  readonly folder: string;
  readonly home: string;
  readonly repository: string;
  readonly hostId: string;
  /** The command line of the same build. */
  readonly cliMain: string;
  /** Undefined: the built one. */
  readonly workerCommand?: BenchHostOptions['workerCommand'];
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

/** Closed by the signals that end a bench too. */
export async function openBenchHost({
  checkout = OWN_CHECKOUT,
  workerCommand,
}: BenchHostOptions = {}): Promise<BenchHost> {
  // Found with the person's own environment: the cache lies in the real home.
  const binary = await findServerBinary({ onProgress: say });
  const cliMain = commandLineOf(checkout);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-bench-')));
  const home = join(folder, 'home');
  const person = personOf(folder, { home, binary: binary.path });
  const env = { ...process.env, ...person };
  const sluice = (...args: readonly string[]) =>
    timedProcess([process.execPath, cliMain, ...args], { cwd: folder, env });
  let connection: Connection | null = null;
  const close = holdOpen(async () => {
    await sluice('down', '--now').catch((error: unknown) => say(String(error)));
    const left = await endProcessesOf(home);
    for (const { pid, command } of left) say(`had to be ended: ${pid} ${command}`);
    // Calls that wait to be tried again throw into nowhere on a closed connection: the engine goes first, it answers them no more.
    await connection?.close();
    endStarter();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  try {
    // What this process reads and starts is that person's too.
    Object.assign(process.env, person);
    const place = await makePlace(folder, home);
    if (workerCommand === undefined) await sluice('up');
    else await ensureEngine({ home, engineCommand: [process.execPath, ENGINE_MAIN], workerCommand });
    const { address, namespace } = engineOf(home);
    connection = await Connection.connect({ address });
    const client = clientOf(connection, namespace);
    return {
      ...place,
      folder,
      home,
      hostId: readOrMakeHostId(home),
      cliMain,
      workerCommand,
      address,
      client,
      env,
      workerPid: () => workerPidOf(engineOf(home)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The environment of the bench's person, beside what this process has. */
function personOf(folder: string, { home, binary }: { readonly home: string; readonly binary: string }) {
  const person = join(folder, 'person');
  return {
    HOME: person,
    XDG_CONFIG_HOME: join(person, '.config'),
    SLUICE_TEMPORAL_CLI: binary,
    SLUICE_HOME: home,
    // Of no forge but that of the bench.
    GH_TOKEN: FAKE_TOKEN,
  };
}

async function makePlace(folder: string, home: string): Promise<Pick<BenchHost, 'stubs' | 'agent' | 'repository'>> {
  mkdirSync(join(folder, 'person'));
  ensureHome(home);
  mkdirSync(join(folder, 'agent'));
  const stubs = makeCliStubs(join(folder, 'agent'));
  const agent = makeAgent(join(folder, 'agent'), stubs.configLines);
  const repository = await makeSmallRepository({ home, configText: agent.configText }, join(folder, 'project'));
  return { stubs, agent, repository };
}

function clientOf(connection: Connection, namespace: string): Client {
  return new Client({
    connection,
    namespace,
    dataConverter: { payloadCodecs: [new RedactingCodec()] },
    interceptors: { workflow: [SEND_AGAIN] },
  });
}

/** For people; stdout belongs to the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function commandLineOf(checkout: string): string {
  const { bin } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { bin: { sluice: string } }; // A checkout of sluice.
  return join(checkout, bin.sluice);
}

/**
 * Where the bench works: a home of its own with a local engine from the built files, started as `sluice up` starts it, a person's folder
 * without any config, and a real git repository. `close` ends every process of the home and removes the folder.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { ensureHome } from '../config/home.js';
import { readOrMakeHostId } from '../config/host-id.js';
import { addRepository } from '../config/host-list.js';
import { trustConfig } from '../config/trust.js';
import { RedactingCodec } from '../wire/redacting-codec.js';
import { type BenchAgent, makeAgent } from './bench-agent.js';
import { endProcessesOf } from './home-processes.js';

const DIST = new URL('../dist/', import.meta.url);
export const CLI_MAIN = fileURLToPath(new URL('client/cli/main.js', DIST));

/** A small project: git's own time for a worktree is a baseline, not the subject. */
const FOLDERS = 20;
const FILES_A_FOLDER = 10;

export interface BenchHost {
  readonly folder: string;
  readonly home: string;
  readonly repository: string;
  readonly hostId: string;
  readonly address: string;
  readonly client: Client;
  readonly agent: BenchAgent;
  /** For commands of the bench's person. */
  readonly env: NodeJS.ProcessEnv;
  workerPid(): Promise<number>;
  close(): Promise<void>;
}

export async function openBenchHost(): Promise<BenchHost> {
  const engine = await localEngine();
  // Found with the person's own environment: the cache lies in the real home.
  const binary = await engine.findServerBinary({ onProgress: say });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-bench-')));
  const person = join(folder, 'person');
  mkdirSync(person);
  Object.assign(process.env, { HOME: person, XDG_CONFIG_HOME: join(person, '.config'), SLUICE_TEMPORAL_CLI: binary.path });
  const home = ensureHome(join(folder, 'home')).root;
  process.env['SLUICE_HOME'] = home;
  mkdirSync(join(folder, 'agent'));
  const agent = makeAgent(join(folder, 'agent'));
  const repository = makeRepository(join(folder, 'project'), agent.configText);
  await addRepository(home, repository);
  await trustConfig(home, repository, agent.configText);
  const close = async (): Promise<void> => {
    await engine.stopEngine(home, { now: true, liveTurns: async () => 0, endTurns: async () => undefined });
    const left = await endProcessesOf(home);
    for (const { pid, command } of left) say(`had to be ended: ${pid} ${command}`);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const { address, namespace } = await engine.ensureEngine({ home, onProgress: say });
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [new RedactingCodec()] } });
    const workerPid = async () => (await engine.engineStatus(home))?.workerPid ?? 0;
    const closeAll = async (): Promise<void> => {
      await connection.close();
      await close();
    };
    return {
      folder,
      home,
      repository,
      hostId: readOrMakeHostId(home),
      address,
      client,
      agent,
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
async function localEngine() {
  const load = <T>(path: string): Promise<T> => import(new URL(path, DIST).href);
  const [ensured, stop, found] = await Promise.all([
    load<typeof import('../worker/local-engine/ensure-engine.js')>('worker/local-engine/ensure-engine.js'),
    load<typeof import('../worker/local-engine/stop-engine.js')>('worker/local-engine/stop-engine.js'),
    load<typeof import('../worker/local-engine/server-binary/find-server-binary.js')>(
      'worker/local-engine/server-binary/find-server-binary.js',
    ),
  ]);
  return { ...ensured, ...stop, ...found };
}

function makeRepository(path: string, configText: string): string {
  mkdirSync(join(path, '.sluice'), { recursive: true });
  writeFileSync(join(path, '.sluice/config.yaml'), configText);
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(join(path, `part-${folder}`));
    for (let file = 0; file < FILES_A_FOLDER; file += 1) {
      writeFileSync(join(path, `part-${folder}/file-${file}.txt`), `line ${file} of part ${folder}\n`.repeat(40));
    }
  }
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: path, stdio: ['ignore', 'ignore', 'inherit'] });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.invalid');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  return path;
}

/**
 * `docker compose up` for docker-compose.temporal.yml without containers: the same order, commands, environment, health checks and one-shots,
 * read from the file, with programs of this machine in place of the images. It ends only processes that it started, by their handle.
 * It does not show that the images exist, nor what Docker does with networks, capabilities and logs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTail } from '../../worker/local-engine/children/log-file.js';
import { LOOPBACK } from '../../worker/local-engine/children/ports.js';
import {
  COMPOSE_PATH,
  type ComposeFile,
  type ComposeService,
  readComposeFile,
  serviceOf,
  startOrder,
} from './compose-file.js';
import { choosePlaces, type LocalPlaces } from './local-places.js';
import { makeCluster, ordinaryUser } from './postgres-programs.js';

/** Where the programs are. */
export interface Programs {
  /** Built by go-programs.ts. */
  readonly go: string;
  /** Of PostgreSQL. */
  readonly postgres: string;
  /** The `temporal` command line. */
  readonly temporal: string;
}

export interface TeamServer {
  readonly file: ComposeFile;
  readonly folder: string;
  readonly address: string;
  readonly places: LocalPlaces;
  /** For any other program of the same machine: PATH, and the database's password. */
  readonly environment: Readonly<Record<string, string>>;
  /** Everything, in the file's order. */
  up(): Promise<void>;
  /** One service; resolves when it is healthy or, as a one-shot, has ended well. */
  start(name: string): Promise<void>;
  /** SIGKILL by default, and waits until it is gone. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** What the restart policy does to a service that has ended by itself. */
  startIfEnded(name: string): Promise<void>;
  logOf(name: string): string;
  close(): Promise<void>;
}

const HEALTH_INTERVAL_MS = 200;
const HEALTH_LIMIT_MS = 120_000;
const RESTART_AFTER_MS = 1_000;
const STOP_LIMIT_MS = 20_000;

export async function openTeamServer(programs: Programs): Promise<TeamServer> {
  const password = randomBytes(16).toString('hex');
  const file = readComposeFile(COMPOSE_PATH, { POSTGRES_PASSWORD: password });
  const places = await choosePlaces(file);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-team-'));
  // The database's ordinary user passes through it.
  chmodSync(folder, 0o711);
  const environment = {
    PATH: `${makeBin(folder, programs)}:${programs.postgres}:/usr/local/bin:/usr/bin:/bin`,
    HOME: folder,
    PGPASSWORD: password,
  };
  const running = new Map<string, ChildProcess>();
  const log = (name: string): string => join(folder, `${name}.log`);

  const spawnService = (name: string, command: readonly string[]): ChildProcess => {
    const service = serviceOf(file, name);
    const [program = '', ...args] = command;
    const output = openSync(log(name), 'a');
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ['ignore', output, output],
      env: { ...environment, ...places.environment(service), ...(name === 'server' ? places.inner : {}) },
      ...(name === 'database' ? ordinaryUser() : {}),
    });
    closeSync(output);
    return child;
  };

  const start = async (name: string): Promise<void> => {
    const service = serviceOf(file, name);
    const command = commandOf(name, { service, places, folder, programs });
    if (service.restart?.startsWith('on-failure') === true)
      return runOnce(
        service,
        () => ended(spawnService(name, command)),
        () => readTail(log(name)),
      );
    const child = spawnService(name, command);
    running.set(name, child);
    await healthy({ name, child, check: checkOf(service, places), environment, log: () => readTail(log(name)) });
  };

  const kill = async (name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const child = running.get(name);
    running.delete(name);
    if (child !== undefined) await end(child, signal);
  };

  return {
    file,
    folder,
    places,
    environment,
    start,
    kill,
    address: `${LOOPBACK}:${places.ports['7233']}`,
    up: async () => {
      for (const name of startOrder(file)) await start(name);
    },
    startIfEnded: async (name) => {
      const child = running.get(name);
      if (child === undefined || !isRunning(child)) await start(name);
    },
    logOf: (name) => readFileSync(log(name), 'utf8'),
    close: async () => {
      // SIGINT is PostgreSQL's word for: end the sessions and stop.
      for (const name of [...running.keys()].toReversed()) await kill(name, name === 'database' ? 'SIGINT' : 'SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The programs under the names that the file calls them by. */
function makeBin(folder: string, { go, temporal }: Programs): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['temporal-server', 'temporal-sql-tool', 'ui-server'])
    symlinkSync(join(go, name), join(bin, name));
  symlinkSync(temporal, join(bin, 'temporal'));
  return bin;
}

interface Setting {
  readonly service: ComposeService;
  readonly places: LocalPlaces;
  readonly folder: string;
  readonly programs: Programs;
}

/** The file's command, and what the image adds to it or has in its place. */
function commandOf(name: string, { service, places, folder, programs }: Setting): readonly string[] {
  const own = places.command(service.command ?? []);
  if (name === 'ui') return [...uiCommand(folder, programs)];
  if (name !== 'database') return own;
  const data = join(folder, 'data');
  if (!existsSync(data)) makeCluster(programs.postgres, folder, service);
  const place = [
    '-D',
    data,
    '-c',
    `listen_addresses=${LOOPBACK}`,
    '-c',
    `port=${places.ports['5432']}`,
    '-c',
    'unix_socket_directories=',
  ];
  return [...own, ...place];
}

/** The image's own configuration, which reads the environment; `host` is what a container needs no word for. */
function uiCommand(folder: string, { go }: Programs): readonly string[] {
  const config = join(folder, 'ui', 'config');
  mkdirSync(config, { recursive: true });
  copyFileSync(join(go, 'docker.yaml'), join(config, 'docker.yaml'));
  writeFileSync(join(config, 'base.yaml'), `host: ${LOOPBACK}\n`);
  return ['ui-server', '--root', join(folder, 'ui'), '--env', 'docker', 'start'];
}

/** As `restart: on-failure:n` says. Errors: plain Error with the log's end. */
async function runOnce(
  { restart }: ComposeService,
  attempt: () => Promise<number | string>,
  log: () => string,
): Promise<void> {
  const restarts = Number(restart?.split(':')[1] ?? 0);
  for (let tried = 0; ; tried += 1) {
    const code = await attempt();
    if (code === 0) return;
    if (tried === restarts) throw new Error(`it ended with ${code} after ${restarts} restarts:\n${log()}`);
    await sleep(RESTART_AFTER_MS);
  }
}

interface Health {
  readonly name: string;
  readonly child: ChildProcess;
  readonly check: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly log: () => string;
}

/** The words behind CMD. */
function checkOf({ healthcheck }: ComposeService, places: LocalPlaces): readonly string[] {
  return places.command(healthcheck?.test.slice(1) ?? ['true']);
}

async function healthy({ name, child, check: [program = '', ...args], environment, log }: Health): Promise<void> {
  const limit = performance.now() + HEALTH_LIMIT_MS;
  while ((await ended(spawn(program, args, { stdio: 'ignore', env: environment }))) !== 0) {
    if (!isRunning(child)) throw new Error(`${name} ended before it was healthy:\n${log()}`);
    if (performance.now() > limit) throw new Error(`${name} was not healthy within ${HEALTH_LIMIT_MS} ms:\n${log()}`);
    await sleep(HEALTH_INTERVAL_MS);
  }
}

function ended(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await gone;
  clearTimeout(late);
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

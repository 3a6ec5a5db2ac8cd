/** A development server of a test's own, with the settings of the local engine and a database file, to be killed and started again on its port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, LOOPBACK, waitForPort } from '../../worker/local-engine/children/ports.js';
import { cleanEnvironment, serverArguments } from '../../worker/local-engine/children/server-command.js';
import { findServerBinary } from '../../worker/local-engine/server-binary/find-server-binary.js';
import { openTestHost, type TestHost } from './test-host.js';

export interface OwnServer {
  readonly address: string;
  /** Holds its database; nothing else. */
  readonly folder: string;
  lives(): boolean;
  pid(): number;
  /** Its errors, since the first start. */
  said(): string;
  start(): Promise<void>;
  /** SIGKILL, and wait until it is gone. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const MAX_SAID_CHARS = 1_000_000;

/** A test host whose namespace is on this server. */
export async function openHostOn(server: OwnServer): Promise<TestHost> {
  const shared = process.env['SLUICE_TEST_ADDRESS'];
  process.env['SLUICE_TEST_ADDRESS'] = server.address;
  try {
    return await openTestHost();
  } finally {
    process.env['SLUICE_TEST_ADDRESS'] = shared;
  }
}

/** The server of a program that no jest runs, where its test hosts look for one. Errors: RefusedError where no binary is found. */
export async function openProgramServer(): Promise<OwnServer> {
  const { path } = await findServerBinary({ onProgress: (text) => console.error(text) });
  process.env['SLUICE_TEMPORAL_CLI'] = path;
  const own = await openOwnServer();
  process.env['SLUICE_TEST_ADDRESS'] = own.address;
  return own;
}

/** The binary is that of the shared server. `dynamic`: settings such as `history.maxTotalUpdates=20`, in place of the engine's own. */
export async function openOwnServer(dynamic: readonly string[] = []): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-own-server-'));
  const port = await freePort(20_000 + Math.floor(Math.random() * 10_000));
  const database = join(folder, 'temporal.db');
  const program = process.env['SLUICE_TEMPORAL_CLI'] ?? 'temporal';
  let child: ChildProcess | null = null;
  let said = '';
  const lives = () => child !== null && child.exitCode === null && child.signalCode === null;
  const kill = async (): Promise<void> => {
    if (child === null || !lives()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const start = async (): Promise<void> => {
    const settings = { port, uiPort: null, database, durability: 'process' } as const;
    const more = dynamic.flatMap((value) => ['--dynamic-config-value', value]);
    child = spawn(program, [...serverArguments(settings), ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: cleanEnvironment(process.env),
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-MAX_SAID_CHARS)));
    await waitForPort(port, AbortSignal.timeout(100_000));
  };
  await start();
  return {
    address: `${LOOPBACK}:${port}`,
    folder,
    lives,
    pid: () => child?.pid ?? 0,
    said: () => said,
    start,
    kill,
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

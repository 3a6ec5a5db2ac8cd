/**
 * One development server for all tests of a jest run, with the settings of the local engine but for its schedules, in a temp folder.
 * Its address is SLUICE_TEST_ADDRESS. Plain JavaScript, since jest does not transform this file's imports.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';

/** A server starts a worker in each namespace, for schedules and batch operations; with hundreds of namespaces these cost more than the tests ask of it. */
const NO_SCHEDULES = ['--dynamic-config-value', 'worker.perNamespaceWorkerCount=0'];

export default async function setUp() {
  const engine = (name) => tsImport(`../worker/local-engine/${name}.ts`, import.meta.url);
  const { findServerBinary } = await engine('server-binary/find-server-binary');
  const { freePort, waitForPort, LOOPBACK } = await engine('children/ports');
  const { cleanEnvironment, serverArguments } = await engine('children/server-command');
  const { setRetention } = await engine('children/server-child');

  const folder = mkdtempSync(join(tmpdir(), 'sluice-server-'));
  const { path } = await findServerBinary({ onProgress: (text) => process.stderr.write(`${text}\n`) });
  const port = await freePort(30_000 + Math.floor(Math.random() * 20_000));
  const settings = { port, uiPort: null, database: join(folder, 'temporal.db'), durability: 'process' };
  const log = openSync(join(folder, 'server.log'), 'a');
  const server = spawn(path, [...serverArguments(settings), ...NO_SCHEDULES], {
    stdio: ['ignore', log, log],
    // Collects its garbage less often than its default of 100.
    env: { ...cleanEnvironment(process.env), GOGC: '400' },
  });
  closeSync(log);
  globalThis.sluiceTestServer = { server, folder };
  await waitForPort(port, AbortSignal.timeout(20_000));
  const address = `${LOOPBACK}:${port}`;
  await setRetention(path, address);
  process.env.SLUICE_TEST_ADDRESS = address;
  process.env.SLUICE_TEMPORAL_CLI = path;
}

/**
 * The development servers of one jest run, with the settings of the local engine but for its schedules, each in a temp folder. A test file has one for itself and some
 * others: a server goes through every label of its metrics each second, so that after a hundred namespaces these take half of its CPU.
 * A file holds its server by a connection to the pool, which ends with the process that runs it. Plain JavaScript, since jest does not transform what its set-up imports.
 */
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';

const FILES_A_SERVER = 16;

/** A server starts a worker in each namespace, for schedules and batch operations; with many namespaces these cost more than the tests ask of it. */
const NO_SCHEDULES = ['--dynamic-config-value', 'worker.perNamespaceWorkerCount=0'];

/** Answers once its first server does. Its `port` gives who connects the address of a server, in a line. */
export async function openServerPool() {
  const engine = await loadEngine();
  const servers = new Set();
  const start = () => {
    const server = startServer(engine);
    servers.add(server);
    return server;
  };
  let newest = start();
  const endIfUnused = async (server) => {
    if (server === newest || server.held.size > 0) return;
    servers.delete(server);
    await endServer(server);
  };
  const hold = async (socket) => {
    if (newest.files === FILES_A_SERVER) {
      const full = newest;
      newest = start();
      void endIfUnused(full);
    }
    const server = newest;
    server.files += 1;
    server.held.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      server.held.delete(socket);
      void endIfUnused(server);
    });
    socket.write(`${await server.answering}\n`);
  };
  const pool = createServer((socket) => {
    hold(socket).catch((error) => {
      process.stderr.write(`no server for a test: ${error.message}\n`);
      socket.destroy();
    });
  });
  pool.listen(0, engine.LOOPBACK);
  await Promise.all([once(pool, 'listening'), newest.answering]);
  return {
    port: pool.address().port,
    binary: engine.binary,
    async close() {
      pool.close();
      await Promise.all([...servers].map(endServer));
    },
  };
}

async function loadEngine() {
  const engine = (name) => tsImport(`../worker/local-engine/${name}.ts`, import.meta.url);
  const { findServerBinary } = await engine('server-binary/find-server-binary');
  const { path } = await findServerBinary({ onProgress: (text) => process.stderr.write(`${text}\n`) });
  const parts = ['children/ports', 'children/server-command', 'children/server-child', 'server-binary/go-build'];
  return Object.assign({ binary: path }, ...(await Promise.all(parts.map(engine))));
}

/** Its `answering` is its address, once it answers there. */
function startServer(engine) {
  const server = {
    folder: mkdtempSync(join(tmpdir(), 'sluice-server-')),
    child: null,
    /** How many it was given to, and who has it now. */
    files: 0,
    held: new Set(),
  };
  return Object.assign(server, { answering: spawnServer(engine, server) });
}

async function spawnServer(engine, server) {
  const port = await engine.freePort(30_000 + Math.floor(Math.random() * 20_000));
  const database = join(server.folder, 'temporal.db');
  const settings = { port, uiPort: null, database, durability: 'process' };
  const log = openSync(join(server.folder, 'server.log'), 'a');
  // Jest tears nothing down when a signal ends it.
  server.child = engine.spawnBound([engine.binary, ...engine.serverArguments(settings), ...NO_SCHEDULES], log, {
    // Collects its garbage less often than its default of 100.
    env: { ...engine.cleanEnvironment(process.env), GOGC: '400' },
  });
  closeSync(log);
  await engine.waitForPort(port, AbortSignal.timeout(60_000));
  const address = `${engine.LOOPBACK}:${port}`;
  await engine.setRetention(engine.binary, address);
  return address;
}

async function endServer(server) {
  await server.answering.catch(() => undefined);
  const { child, folder } = server;
  if (child !== null && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The worker of the local engine makes the calls of the command line, which then loads no SDK: the worker has one. It connects to the server once,
 * when the first call comes.
 */
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { openLate } from '../client/calls/open-late.js';
import { serveCalls } from '../client/calls/serve-calls.js';
import { createSluice, type SluiceOptions } from '../client/sluice.js';
import { messageOf } from '../config/system/error-code.js';
import { enginePaths } from './local-engine/state/engine-paths.js';
import { writeToWorkerLog } from './write-missing-ends.js';

/** Each `sluice watch` holds one; whoever comes beyond these loads the SDK. */
const MAX_CONNECTIONS = 256;

/**
 * The process' umask is 077: only its user can connect. A socket that lies there is a dead worker's. Answers what ends it.
 * Errors: none; where nobody can be served the command line does without, as the worker's log says.
 */
export async function serveCommandLine(home: string, options: SluiceOptions): Promise<() => Promise<void>> {
  const sluice = openLate(() => createSluice(options));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveCalls(socket, sluice.get);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const { calls } = enginePaths(home);
  await new Promise<void>((resolve) => {
    // It listens on: an error of later, such as of a connection for which no descriptor is left, ends nothing.
    server.on('error', (error) => {
      writeToWorkerLog('the command line is not served', { socket: calls, error: messageOf(error) });
      resolve();
    });
    rmSync(calls, { force: true });
    server.listen(calls, resolve);
  });
  return async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await sluice.close();
  };
}

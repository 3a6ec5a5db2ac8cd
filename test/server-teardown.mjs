/** Ends the server of server-setup.mjs and removes its folder. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';

export default async function tearDown() {
  const { server, folder } = globalThis.sluiceTestServer;
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Which port an engine takes. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { freePort, LOOPBACK } from '../../../worker/local-engine/children/ports.js';

/** Of the loopback network, and no other test's. */
const HOST = process.platform === 'linux' ? '127.99.99.99' : LOOPBACK;

describe('a free port', () => {
  it('is the next one where the wanted one is taken', async () => {
    const server = createServer().listen(0, HOST);
    await once(server, 'listening');
    const taken = (server.address() as AddressInfo).port;

    const port = await freePort(taken, HOST).finally(() => server.close());

    expect(port).toBeGreaterThan(taken);
  });

  it('is looked for no further than there are ports', async () => {
    const server = createServer().listen(65_535, HOST);
    await once(server, 'listening');

    const port = freePort(65_535, HOST).finally(() => server.close());

    await expect(port).rejects.toThrow(/^no free port from 65535 to 65535$/);
  });
});

import { spawn } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../../protocol/names.js';
import { freePort } from '../../../worker/local-engine/children/ports.js';
import { ensureSearchAttributes } from '../../../worker/local-engine/children/search-attributes.js';
import { setRetention } from '../../../worker/local-engine/children/server-child.js';
import { findServerBinary } from '../../../worker/local-engine/server-binary/find-server-binary.js';

it('adds the search attributes to a server that lacks them, once, and does without where it may not', async () => {
  const { path } = await findServerBinary();
  const port = await freePort(42_000);
  const address = `127.0.0.1:${port}`;
  const server = spawn(path, ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
  });
  try {
    await setRetention(path, address);
    const connection = await Connection.connect({ address });

    expect(await ensureSearchAttributes(connection, 'default')).toBe(true);
    expect(await ensureSearchAttributes(connection, 'default')).toBe(true);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining([...SEARCH_ATTRIBUTES]));
    expect(await ensureSearchAttributes(connection, 'no-such-namespace')).toBe(false);
    await connection.close();
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  }
});

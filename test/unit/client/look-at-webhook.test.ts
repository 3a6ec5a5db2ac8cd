/** What `sluice doctor` says of the web hook of a forge. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { lookAtWebhook } from '../../../client/cli/start/look-at-webhook.js';
import { userConfigPath } from '../../../config/home/home.js';
import { listenForRings } from '../../../worker/doorbell/listen-for-rings.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';

afterAll(removeFolders);

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(isOurs: boolean): Promise<number> {
  const server = isOurs
    ? await listenForRings({ port: 0, secret: 'of nobody' }, () => undefined)
    : createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
  servers.push(server);
  if (!isOurs) await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function look(config: string) {
  const env = { HOME: tempFolder() };
  const path = userConfigPath(env);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, config);
  return lookAtWebhook({ io: { env } });
}

const on = (port: number) => `engine: { webhook: { port: ${port}, secretEnv: HOOK } }\n`;

describe('what the doctor says of the web hook', () => {
  it('is that it is off where nobody wants one', async () => {
    expect(await look('version: 1\n')).toEqual([
      expect.objectContaining({ grade: 'ok', found: expect.stringMatching(/^off/) }),
    ]);
  });

  it.each([
    ['where it listens', true, 'ok', /^listens at http:\/\/127\.0\.0\.1:\d+\/; its secret is the worker's HOOK$/],
    ['that another program has its port', false, 'warn', /^another program answers/],
  ])('is %s', async (_, isOurs, grade, found) => {
    const [finding] = await look(on(await listen(isOurs)));
    expect(finding).toMatchObject({ grade, found: expect.stringMatching(found) });
  });

  it('is that nobody listens, and what mends that', async () => {
    const port = await listen(true);
    servers.splice(0)[0]?.close();
    const [finding] = await look(on(port));
    expect(finding).toMatchObject({ grade: 'warn', mend: expect.stringContaining('export HOOK=') });
  });
});

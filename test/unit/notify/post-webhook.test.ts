import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { postWebhook } from '../../../activities/notify/post-webhook.js';

const NEVER = new AbortController().signal;
const BODY = '{"id":"run-1:1","message":"a gate is open"}';

describe('a webhook', () => {
  const servers: Server[] = [];

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  async function listen(answer: RequestListener): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-path`;
  }

  const answering = (status: number, headers: Record<string, string> = {}) =>
    listen((_request, response) => response.writeHead(status, headers).end('x'.repeat(100_000)));

  it('gets the body, its id, and a signature over the time and the body', async () => {
    const got: { request: IncomingMessage; body: string }[] = [];
    const url = await listen((request, response) => {
      void text(request).then((body) => {
        got.push({ request, body });
        response.end('ok');
      });
    });

    const delivery = await postWebhook({ url, key: 'the key', id: 'run-1:1' }, BODY, NEVER);

    const { method, headers } = got[0]?.request ?? {};
    const timestamp = String(headers?.['x-sluice-timestamp']);
    const signature = createHmac('sha256', 'the key').update(`${timestamp}.${BODY}`).digest('hex');
    expect(delivery).toEqual({ kind: 'delivered' });
    expect(method).toBe('POST');
    expect(got[0]?.body).toBe(BODY);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-sluice-id': 'run-1:1',
      'x-sluice-signature': `sha256=${signature}`,
    });
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('carries no signature without a key', async () => {
    const headers: IncomingMessage['headers'][] = [];
    const url = await listen((request, response) => {
      headers.push(request.headers);
      response.end();
    });

    await postWebhook({ url, key: null, id: 'run-1:1' }, BODY, NEVER);

    expect(headers).toHaveLength(1);
    expect(headers[0]).not.toHaveProperty('x-sluice-signature');
  });

  it.each([
    [200, 'delivered', null],
    [204, 'delivered', null],
    [500, 'failed', true],
    [503, 'failed', true],
    [408, 'failed', true],
    [429, 'failed', true],
    [404, 'failed', false],
    [401, 'failed', false],
  ])('that answers %i is %s; again later: %s', async (status, kind, later) => {
    const delivery = await postWebhook({ url: await answering(status), key: null, id: 'run-1:1' }, BODY, NEVER);

    expect(delivery).toMatchObject(kind === 'failed' ? { kind, later } : { kind });
    expect(JSON.stringify(delivery)).not.toContain('secret-path');
  });

  it('that redirects to another host is refused for good, and the other host hears nothing', async () => {
    let heard = 0;
    const other = await listen((_request, response) => {
      heard += 1;
      response.end();
    });
    const url = await answering(307, { location: other });

    const delivery = await postWebhook({ url, key: 'the key', id: 'run-1:1' }, BODY, NEVER);

    expect(delivery).toMatchObject({ kind: 'failed', later: false });
    expect(heard).toBe(0);
  });

  it('that hangs is given up at the limit and may be tried again', async () => {
    const url = await listen(() => {});

    const delivery = await postWebhook({ url, key: null, id: 'run-1:1', limitMs: 100 }, BODY, NEVER);

    expect(delivery).toMatchObject({ kind: 'failed', later: true, why: 'no answer within 0.1 s' });
  });

  it('where nobody listens may be tried again', async () => {
    const url = await answering(200);
    servers[0]?.close();

    const delivery = await postWebhook({ url, key: null, id: 'run-1:1' }, BODY, NEVER);

    expect(delivery).toMatchObject({ kind: 'failed', later: true, why: 'it cannot be reached: ECONNREFUSED' });
  });
});

/** The proxy of a sandbox, on a real socket: what it connects, what it refuses and tells, and that bad input costs it nothing. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createConnectProxy, type RefusedHost } from '../../../activities/sandbox/connect-proxy.js';
import { until } from '../../support/until.js';
import { closeRemotes, listenHere } from './remotes.js';

closeRemotes();

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Answers `echo <what it got>` once, then ends. */
async function echoServer(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (chunk: Buffer) => socket.end(`echo ${chunk.toString()}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function aProxyTo(remote: Server) {
  const port = await listenHere(remote);
  const socket = join(tmpdir(), `sluice-proxy-${randomUUID()}.sock`);
  let dial = (_socket: Socket): void => undefined;
  const dialled = new Promise<Socket>((resolve) => void (dial = resolve));
  const proxy = createConnectProxy({
    hosts: { own: [`127.0.0.1:${port}`], known: [] },
    onRefused: () => undefined,
    dial: (address, to) => {
      const server = connect(to, address);
      dial(server);
      return server;
    },
  });
  const proxied = once(proxy, 'connect').then(([, client]: Socket[]) => client as Socket);
  await listenHere(proxy, socket);
  return { port, socket, dialled, proxied };
}

/** Sends until the client, which reads nothing, lets no more pass: the last piece is still with the proxy. Then it ends. Answers how many bytes it sent. */
async function fillTheWay(sender: Socket, client: Promise<Socket>): Promise<number> {
  const proxied = await client;
  for (let sent = PIECE_BYTES; ; sent += PIECE_BYTES) {
    sender.write(Buffer.alloc(PIECE_BYTES, 'x'));
    await until(() => proxied.bytesWritten === ESTABLISHED.length + sent);
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (proxied.writableLength > 0) {
      sender.end();
      return sent;
    }
  }
}

interface Proxy {
  readonly socket: string;
  readonly refused: RefusedHost[];
  readonly dialled: string[];
}

async function aProxy(
  known: readonly string[],
  addresses: Readonly<Record<string, readonly string[]>> = {},
  own: readonly string[] = [],
): Promise<Proxy> {
  const socket = join(tmpdir(), `sluice-proxy-${randomUUID()}.sock`);
  const refused: RefusedHost[] = [];
  const dialled: string[] = [];
  const echo = await echoServer();
  const server: HttpServer = createConnectProxy({
    hosts: { own, known },
    onRefused: (host) => refused.push(host),
    resolve: async (name) => addresses[name] ?? [],
    // The world is not reached from a test: whatever is dialled is this machine's own.
    dial: (address, port) => {
      dialled.push(`${address}:${port}`);
      return connect(echo, '127.0.0.1');
    },
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(socket, { force: true });
  });
  return { socket, refused, dialled };
}

/** Sends a text and answers all that comes until the other side ends. */
function said(socket: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    const client = connect(socket);
    let answer = '';
    client.on('error', () => undefined);
    client.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
    });
    client.once('close', () => resolve(answer));
    client.write(text);
  });
}

/** Less than a stream holds before it asks its source to pause. */
const PIECE_BYTES = 8_000;
/** Of the event loop: a write that the system takes is through by then. */
const TURNS = 5;

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

const CONNECT = (host: string, body = '') => `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n\r\n${body}`;

describe('the proxy of a sandbox', () => {
  it('connects to a host of its list, by the address that it looked at', async () => {
    const proxy = await aProxy(['api.example.com'], { 'api.example.com': ['93.184.216.34'] });

    const answer = await said(proxy.socket, CONNECT('api.example.com:443', 'hello'));

    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\necho hello$/);
    expect(proxy.dialled).toEqual(['93.184.216.34:443']);
    expect(proxy.refused).toEqual([]);
  });

  it.each([
    ['this machine', ['127.0.0.1']],
    ['this machine, in IPv6', ['::1', '::ffff:127.0.0.1']],
    ['a private network', ['192.168.7.7', '10.0.0.1']],
    ['what clouds tell their machines', ['169.254.169.254']],
  ])('refuses a name of its list that leads to %s', async (_where, addresses) => {
    const proxy = await aProxy(['api.example.com'], { 'api.example.com': addresses });

    expect(await said(proxy.socket, CONNECT('api.example.com:443'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.dialled).toEqual([]);
    expect(proxy.refused).toEqual([
      { host: 'api.example.com:443', why: 'its name leads to this machine or a private network' },
    ]);
  });

  it('connects to a host of a private network whose name its person listed, never to this machine or what clouds tell', async () => {
    const addresses = { 'npm.corp.example': ['10.0.0.7'], 'odd.corp.example': ['127.0.0.1', '169.254.169.254'] };
    const proxy = await aProxy([], addresses, Object.keys(addresses));

    expect(await said(proxy.socket, CONNECT('npm.corp.example:443', 'x'))).toMatch(/echo x$/);
    expect(await said(proxy.socket, CONNECT('odd.corp.example:443', 'x'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.dialled).toEqual(['10.0.0.7:443']);
  });

  it('passes over the private addresses of a name that has others too', async () => {
    const proxy = await aProxy(['api.example.com'], { 'api.example.com': ['127.0.0.1', '93.184.216.34'] });

    await said(proxy.socket, CONNECT('api.example.com:443', 'x'));

    expect(proxy.dialled).toEqual(['93.184.216.34:443']);
  });

  it('connects to a private address that stands on its list itself, and to no other port of it', async () => {
    const proxy = await aProxy(['127.0.0.1:17233'], {}, ['127.0.0.1:4010']);

    expect(await said(proxy.socket, CONNECT('127.0.0.1:4010', 'x'))).toMatch(/echo x$/);
    expect(await said(proxy.socket, CONNECT('127.0.0.1:17233', 'x'))).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.dialled).toEqual(['127.0.0.1:4010']);
  });

  it('tells each refused host once, and no more than fifty', async () => {
    const proxy = await aProxy([]);

    for (let n = 0; n < 60; n += 1) await said(proxy.socket, CONNECT(`h${n}.evil.example:443`));
    await said(proxy.socket, CONNECT('h0.evil.example:443'));

    expect(proxy.refused).toHaveLength(50);
    expect(proxy.refused[0]).toEqual({ host: 'h0.evil.example:443', why: 'it is not on the list' });
  });

  it.each([
    [
      'a request that is no CONNECT',
      'GET http://api.example.com/ HTTP/1.1\r\nhost: api.example.com\r\nconnection: close\r\n\r\n',
      /^HTTP\/1\.1 403 /,
    ],
    ['a request for the proxy itself', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 403 /],
    ['an upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', /^$/],
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n', /^(?:HTTP\/1\.1 400 [^]*)?$/],
    ['a header without an end', `CONNECT x:1 HTTP/1.1\r\nx: ${'y'.repeat(100_000)}`, /^(?:HTTP\/1\.1 4\d\d [^]*)?$/],
  ])('lets %s through nowhere, and goes on', async (_what, text, answer) => {
    const proxy = await aProxy(['api.example.com'], { 'api.example.com': ['93.184.216.34'] });

    expect(await said(proxy.socket, text)).toMatch(answer);
    expect(proxy.dialled).toEqual([]);
    expect(await said(proxy.socket, CONNECT('api.example.com:443', 'still'))).toMatch(/echo still$/);
  });

  it('hands on what came before the end of a remote to a client that reads it only afterwards', async () => {
    const remote = createServer();
    const { port, socket, dialled, proxied } = await aProxyTo(remote);
    const client = connect(socket);
    const connected = once(remote, 'connection');
    client.write(CONNECT(`127.0.0.1:${port}`));
    const [sender] = await connected;
    const sent = await fillTheWay(sender, proxied);
    await once(await dialled, 'close');

    let bytes = -ESTABLISHED.length;
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(client, 'end');

    expect(bytes).toBe(sent);
  });

  it('says of a name that nobody knows that it cannot be looked up, and does not call it refused', async () => {
    const proxy = await aProxy(['gone.example.com']);

    expect(await said(proxy.socket, CONNECT('gone.example.com:443'))).toMatch(
      /^HTTP\/1\.1 502 [^]*cannot be looked up/,
    );
    expect(proxy.refused).toEqual([]);
  });
});

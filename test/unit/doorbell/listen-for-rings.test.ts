/** The door for the web hook of a forge: who is heard there, and what everybody else can do at it. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listenForRings } from '../../../worker/doorbell/listen-for-rings.js';
import type { Ring } from '../../../worker/doorbell/read-ring.js';
import { FakeWebhook, pullEvent, pushEvent, signatureOf } from '../../support/forge/fake-webhook.js';
import { type DeliveryFault, Faults } from '../../support/forge/faults.js';
import type { FakePull } from '../../support/forge/forge-state.js';

const SECRET = 'a secret of this test';
const FORGE = { name: 'acme/shop' };
const PULL = { number: 7, headBranch: 'sluice/r1', base: 'main', state: 'open' } as FakePull;
const RING: Ring = { repo: 'acme/shop', pulls: [7], branches: ['sluice/r1'] };

let heard: Ring[];
let server: Server;
let faults: Faults;
let hook: FakeWebhook;

async function open(limitMs?: number): Promise<number> {
  const door = { port: 0, secret: SECRET, ...(limitMs === undefined ? {} : { limitMs }) };
  server = await listenForRings(door, (ring) => heard.push(ring));
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  heard = [];
  faults = new Faults();
  hook = new FakeWebhook({ url: `http://127.0.0.1:${await open()}/`, secret: SECRET }, faults);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** What is answered to bytes, until the connection ends. */
async function say(port: number, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket: Socket = connect({ port, host: '127.0.0.1' });
  let answered = '';
  socket.on('data', (data) => (answered += data.toString('latin1'))).on('error', () => undefined);
  for (const piece of pieces) socket.write(piece);
  await once(socket, 'close');
  return answered;
}

const portOf = () => (server.address() as AddressInfo).port;
const BODY = JSON.stringify(pullEvent(FORGE, PULL));

function request(headers: Readonly<Record<string, string>>, body = ''): string {
  const all = { host: 'localhost', connection: 'close', 'content-length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST / HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function signed(body: string, id = 'd-1') {
  return { 'x-hub-signature-256': signatureOf(SECRET, body), 'x-github-delivery': id };
}

describe('the door for the web hook of a forge', () => {
  it('hears what is signed, on loopback alone', async () => {
    await hook.tell('pull_request', pullEvent(FORGE, PULL));
    await hook.tell('push', pushEvent(FORGE, 'main'));

    expect(server.address()).toMatchObject({ address: '127.0.0.1' });
    expect(heard).toEqual([RING, { repo: 'acme/shop', pulls: [], branches: ['main'] }]);
    expect(hook.statuses).toEqual([202, 202]);
  });

  it.each<[DeliveryFault, readonly (number | null)[], number]>([
    ['lost', [], 0],
    ['doubled', [202, 202], 1],
    ['replayed', [202, 202], 1],
    ['forged', [401], 0],
    ['huge', [413], 0],
  ])('hears one that is %s no more than once', async (how, statuses, times) => {
    faults.arm('webhook', { kind: 'delivery', how });
    await hook.tell('pull_request', pullEvent(FORGE, PULL));

    // Of one that is far too long the answer may be lost: who sends it still writes when the connection ends.
    expect(hook.statuses.map((status, at) => status ?? statuses[at])).toEqual(statuses);
    expect(heard).toHaveLength(times);
    await hook.tell('push', pushEvent(FORGE, 'main'));
    expect(heard).toHaveLength(times + 1);
  });

  it('hears them in any order', async () => {
    faults.arm('webhook', { kind: 'delivery', how: 'late' });
    await hook.tell('pull_request', pullEvent(FORGE, PULL));
    await hook.tell('push', pushEvent(FORGE, 'main'));

    expect(heard.map(({ pulls }) => pulls)).toEqual([[], [7]]);
  });

  it.each([
    ['without a signature', { 'x-github-delivery': 'd' }, '401'],
    ['with a signature of SHA-1', { ...signed(BODY), 'x-hub-signature-256': `sha1=${'a'.repeat(40)}` }, '401'],
    ['with a signature that is longer', { ...signed(BODY), 'x-hub-signature-256': `sha256=${'a'.repeat(65)}` }, '401'],
    ['with a signature that is none', { ...signed(BODY), 'x-hub-signature-256': 'sha256=' }, '401'],
    ['with the signature of another text', signed(`${BODY} `), '401'],
    ['signed by the empty secret', { ...signed(BODY), 'x-hub-signature-256': signatureOf('', BODY) }, '401'],
    ['without an id', { 'x-hub-signature-256': signatureOf(SECRET, BODY) }, '400'],
    ['with an id that is no id', signed(BODY, '\u001b]0;x'), '400'],
    ['with an id of a thousand letters', signed(BODY, 'x'.repeat(1_000)), '400'],
    ['with two ids', signed(BODY, 'a, b'), '400'],
    ['with headers of 100 KB', { ...signed(BODY), filling: 'x'.repeat(100_000) }, '431'],
    ['with a length that is none', { ...signed(BODY), 'content-length': '-1' }, '400'],
  ])('refuses one %s', async (_, headers, status) => {
    expect(await say(portOf(), request(headers, BODY))).toContain(`HTTP/1.1 ${status} `);
    expect(heard).toEqual([]);
  });

  it.each([
    ['is no JSON', '{"repository":', '400'],
    ['is empty', '', '400'],
    ['is about nothing', '[[[]]]', '202'],
    ['is deep', '['.repeat(100_000) + ']'.repeat(100_000), '202'],
  ])('hears nothing in one that %s', async (_, body, status) => {
    expect(await say(portOf(), request(signed(body), body))).toContain(`HTTP/1.1 ${status} `);
    expect(heard).toEqual([]);
  });

  it('answers who only looks', async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${portOf()}/`);
    expect([status, headers.get('allow'), headers.get('server')]).toEqual([405, 'POST', 'sluice']);
  });

  it('refuses what says that it is too long before it comes', async () => {
    const headers = { ...signed(BODY), 'content-length': '1000001' };
    expect(await say(portOf(), request(headers))).toContain('HTTP/1.1 413 ');
  });

  it('reads no more than 1 MB of what has no length', async () => {
    const { 'content-length': _, ...headers } = { ...signed(BODY), 'content-length': '' };
    const piece = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`;
    const chunked = request({ ...headers, 'transfer-encoding': 'chunked' }).replace('content-length: 0\r\n', '');
    expect(await say(portOf(), chunked, piece.repeat(11))).toContain('HTTP/1.1 413 ');
    expect(heard).toEqual([]);
  });

  it('takes up to 1 MB', async () => {
    const body = JSON.stringify({ ...pullEvent(FORGE, PULL), filling: 'x'.repeat(999_000) });
    expect(await say(portOf(), request(signed(body), body))).toContain('HTTP/1.1 202 ');
    expect(heard).toEqual([RING]);
  });

  it.each([
    ['says nothing', ''],
    ['never ends its headers', 'POST / HTTP/1.1\r\nhost: x\r\n'],
    ['never ends its body', request({ ...signed(BODY), 'content-length': '500' })],
  ])('ends a connection that %s, whose answer nobody gives', async (_, sent) => {
    const before = server;
    const port = await open(200);
    before.close();

    expect(await say(port, sent)).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    expect(heard).toEqual([]);
  });

  it('lives on when connections break', async () => {
    for (const sent of ['\u0000\r\n\r\n', request({ ...signed(BODY), 'content-length': '500' }, '{')]) {
      const socket = connect({ port: portOf(), host: '127.0.0.1' });
      await once(socket, 'connect');
      socket.end(sent);
      socket.resume();
      await once(socket, 'close');
    }
    await hook.tell('pull_request', pullEvent(FORGE, PULL));
    expect(heard).toEqual([RING]);
  });

  it('has no more connections than it can keep, and hears again once they are gone', async () => {
    const sockets = Array.from({ length: 40 }, () => connect({ port: portOf(), host: '127.0.0.1' }));
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    const dropped = sockets.map((socket) => once(socket, 'close'));
    await Promise.race(dropped);
    expect(heard).toEqual([]);
    for (const socket of sockets) socket.destroy();
    await Promise.all(dropped);
    const ring = async () => {
      await hook.tell('pull_request', pullEvent(FORGE, PULL));
      return heard.length > 0;
    };
    while (!(await ring()));
    expect(heard).toEqual([RING]);
  });
});

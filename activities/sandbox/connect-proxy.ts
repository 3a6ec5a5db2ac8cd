/**
 * The only way out of a sandbox with `network: proxy`: an HTTP proxy on a unix socket that knows CONNECT and nothing else, and the hosts of its list and
 * no others. A name is looked up here and connected to by the address that was looked at, so that it cannot mean another one a moment later; what leads to
 * this machine is refused, unless the list has that very address; what leads to a private network, unless its person listed that very name.
 * It sees names and ports, never what is said: the connection inside is encrypted by those who speak.
 */
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAllowList, type Hosts, type Judged } from './allow-list.js';
import { reachOf } from './private-addresses.js';

export interface ProxyOptions {
  readonly hosts: Hosts;
  /** Told once for each host that was refused. */
  readonly onRefused: (refused: RefusedHost) => void;
  /** Every address of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly dial?: (address: string, port: number) => Socket;
}

export interface RefusedHost {
  /** As it was asked for, at most 300 characters. Untrusted. */
  readonly host: string;
  readonly why: string;
}

const MAX_CONNECTIONS = 500;

const HEADERS_MS = 15_000;

const DIAL_MS = 20_000;

const MAX_ADDRESSES = 4;

const MAX_HOST_CHARS = 300;

/** Remembered, so that each is told once; an agent can ask for any number of names. */
const MAX_REFUSED = 50;

/** Not listening yet. It ends with its process. */
export function createConnectProxy(options: ProxyOptions): Server {
  const allowed = createAllowList(options.hosts);
  const refuse = tellOnce(options.onRefused);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()));
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.on('request', (request, response) => {
    const host = shown(String(request.headers.host ?? request.url ?? ''));
    refuse({ host, why: 'only https (CONNECT) goes through' });
    response
      .writeHead(403, { 'content-type': 'text/plain', connection: 'close' })
      .end(`sluice: ${host}: only https goes through this proxy\n`);
  });
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    const authority = request.url ?? '';
    void open(allowed.judge(authority), options).then((opened) => {
      if (opened.kind === 'open') return join(client, opened.socket, head);
      const host = shown(authority);
      if (opened.kind === 'refused') refuse({ host, why: opened.why });
      const status = opened.kind === 'refused' ? '403 Forbidden' : '502 Bad Gateway';
      client.end(
        `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nsluice: ${host}: ${opened.why}\n`,
      );
    });
  });
  return server;
}

type Opened =
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

async function open(judged: Judged, { resolve = addressesOf, dial = dialOut }: ProxyOptions): Promise<Opened> {
  if (judged.kind === 'refused') return judged;
  const { name, port } = judged.target;
  let addresses: readonly string[] = [name];
  if (judged.kind === 'name') {
    const found = await resolve(name).catch(() => []);
    if (found.length === 0) return { kind: 'unreachable', why: 'the name cannot be looked up' };
    const { inner } = judged;
    addresses = found.filter((address) => reachOf(address) === 'world' || (inner && reachOf(address) === 'inner'));
    if (addresses.length === 0) return { kind: 'refused', why: 'its name leads to this machine or a private network' };
  }
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    const socket = await connected(dial(address, port));
    if (socket !== null) return { kind: 'open', socket };
  }
  return { kind: 'unreachable', why: 'it does not answer' };
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function dialOut(address: string, port: number): Socket {
  return connect({ host: address, port, allowHalfOpen: true });
}

function connected(socket: Socket): Promise<Socket | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), DIAL_MS);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(null);
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

function join(client: Duplex, server: Socket, head: Buffer): void {
  if (client.destroyed) {
    server.destroy();
    return;
  }
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) server.write(head);
  server.pipe(client);
  client.pipe(server);
  endAfter(client, server);
  endAfter(server, client);
}

/** What came before an end in order is handed on to the last byte, however slowly it is read; what was cut off is cut off there too. */
function endAfter(from: Duplex, to: Duplex): void {
  from.once('close', () => {
    if (!from.readableEnded) to.destroy();
    // Nobody is left for what it would still say.
    else if (!to.readableEnded) to.end(() => to.destroy());
  });
}

function tellOnce(tell: ProxyOptions['onRefused']): ProxyOptions['onRefused'] {
  const told = new Set<string>();
  return (refused) => {
    if (told.has(refused.host) || told.size >= MAX_REFUSED) return;
    told.add(refused.host);
    tell(refused);
  };
}

function shown(host: string): string {
  return host.slice(0, MAX_HOST_CHARS);
}

/** What listens on this machine beside the engine: who gets through to it says the name of its try, and that is how it is known. */
import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Listener } from './try.js';

export interface Listeners {
  /** As facts name them. */
  readonly places: Readonly<Record<'LOOPBACK' | 'LOOPBACK6' | 'DATAGRAM' | 'SOCKET' | 'ABSTRACT', string>>;
  /** Whether the text was said there. */
  heard(at: Listener, text: string): boolean;
  close(): Promise<void>;
}

/** Answers a secret to whoever connects, so that a try can also show what it was told. */
export async function openListeners(folder: string, secret: string): Promise<Listeners> {
  const heard: Record<Listener, string> = { loopback: '', loopback6: '', socket: '', abstract: '', datagram: '' };
  const servers: Server[] = [];
  const listen = async (name: Listener, where: { readonly host: string } | { readonly path: string }) => {
    const server = createServer((socket) => {
      socket.on('data', (chunk) => (heard[name] += chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${secret.length}\r\n\r\n${secret}`);
    });
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen('path' in where ? where : { ...where, port: 0 }, resolve);
    });
    const address = server.address();
    return typeof address === 'object' && address !== null ? String(address.port) : '';
  };
  const datagram = createSocket('udp4');
  datagram.on('message', (message) => (heard.datagram += message.toString('latin1')));
  await new Promise<void>((resolve) => datagram.bind(0, '127.0.0.1', resolve));
  const socket = join(folder, 'person.sock');
  const abstract = `sluice-attack-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const places = {
    LOOPBACK: await listen('loopback', { host: '127.0.0.1' }),
    // A machine without IPv6 has no such place; the try then finds port 0.
    LOOPBACK6: await listen('loopback6', { host: '::1' }).catch(() => '0'),
    DATAGRAM: String(datagram.address().port),
    SOCKET: socket,
    ABSTRACT: abstract,
  };
  await listen('socket', { path: socket });
  await listen('abstract', { path: `\0${abstract}` });
  return {
    places,
    heard: (at, text) => heard[at].includes(text),
    async close() {
      datagram.close();
      await Promise.all(servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))));
    },
  };
}

/** An address of a test's own on loopback that notifications are posted to: it keeps what came, and each path answers as the test says. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Notification } from '../../protocol/messages/notification.js';

export interface Posted {
  readonly path: string;
  /** Of the header. */
  readonly id: string;
  readonly body: Notification;
}

export interface Webhook {
  url(path: string): string;
  /** What came to the path, whatever was answered. */
  postedTo(path: string): readonly Posted[];
  close(): void;
}

/** Gets the number of the request to this path, from 1. Without an entry for a path the answer is 204. */
export type Answers = Readonly<Record<string, (response: ServerResponse, nth: number) => void>>;

export async function openWebhook(answers: Answers = {}): Promise<Webhook> {
  const posted: Posted[] = [];
  const postedTo = (path: string) => posted.filter((one) => one.path === path);
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = (request.url ?? '').slice(1);
      posted.push({ path, id: String(request.headers['x-sluice-id']), body: JSON.parse(body) as Notification });
      const answer = answers[path];
      if (answer === undefined) response.writeHead(204).end();
      else answer(response, postedTo(path).length);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a server that listens on a port.
  return {
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    postedTo,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

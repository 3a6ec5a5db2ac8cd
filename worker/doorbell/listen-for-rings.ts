/**
 * The door that a forge's web hook knocks at: HTTP on loopback, for whoever knows the secret. Whatever comes is judged before more of it is read: method, the shape of its headers, its length, its
 * signature over the bytes as they came; only then what it says. Nothing of it is written anywhere.
 * Not promised: that a delivery is heard. Whoever waits for one looks in time without it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { DOORBELL_NAME } from '../../protocol/names.js';
import { type Ring, readRing } from './read-ring.js';

export interface Door {
  /** On loopback. */
  readonly port: number;
  readonly secret: string;
  /** Unit: ms, for a whole request. */
  readonly limitMs?: number;
}

const LIMIT_MS = 10_000;
const MAX_BYTES = 1_000_000;
const MAX_CONNECTIONS = 32;

/** Each delivery leaves two: a replayed one can have another id, but no other signature. */
const MAX_KNOWN = 2_000;

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const DELIVERY = /^[\w-]{1,100}$/;

/** What the person at the forge reads in its list of deliveries. */
const SAID = {
  202: 'heard\n',
  400: 'no delivery of a web hook: it has X-GitHub-Delivery, and is JSON\n',
  401: 'its X-Hub-Signature-256 is not by the secret of engine.webhook\n',
  405: 'a web hook is posted here\n',
  413: 'more than 1 MB\n',
} as const;

/** Errors: of the system, where the port cannot be had. */
export async function listenForRings(
  { port, secret, limitMs = LIMIT_MS }: Door,
  hear: (ring: Ring) => void,
): Promise<Server> {
  const known = new Set<string>();
  const limits = { requestTimeout: limitMs, headersTimeout: limitMs, connectionsCheckingInterval: limitMs / 10 };
  const server = createServer(limits, (request, response) => {
    // A connection that breaks is nobody's to be answered.
    void judge(request, { secret, known, hear }).then(
      (status) => answer(response, status),
      () => response.destroy(),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ port, host: '127.0.0.1' });
  await once(server, 'listening');
  // Such as a connection for which no descriptor is left.
  server.on('error', () => undefined);
  return server;
}

interface Hearing {
  readonly secret: string;
  readonly known: Set<string>;
  readonly hear: (ring: Ring) => void;
}

async function judge(request: IncomingMessage, { secret, known, hear }: Hearing): Promise<keyof typeof SAID> {
  const { method, headers } = request;
  if (method !== 'POST') return 405;
  const signature = SIGNATURE.exec(String(headers['x-hub-signature-256']))?.[1];
  if (signature === undefined) return 401;
  const delivery = String(headers['x-github-delivery']);
  if (headers['x-github-delivery'] === undefined || !DELIVERY.test(delivery)) return 400;
  const body = await readBody(request);
  if (body === null) return 413;
  if (!isSignedBy(secret, signature, body)) return 401;
  if (known.has(delivery) || known.has(signature)) return 202;
  remember(known, [delivery, signature]);
  const payload = parse(body);
  if (payload === undefined) return 400;
  const ring = readRing(payload);
  if (ring !== null) hear(ring);
  return 202;
}

/** Null: it is too long, and the rest of it is not read. Errors: of a connection that broke. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  // It goes on for the answer.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length;
    if (bytes > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function isSignedBy(secret: string, signature: string, body: Buffer): boolean {
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(signature, 'hex'));
}

/** The oldest are forgotten. */
function remember(known: Set<string>, names: readonly string[]): void {
  for (const name of names) known.add(name);
  for (const name of known)
    if (known.size > MAX_KNOWN) known.delete(name);
    else break;
}

/** Undefined: it is no JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Where the body was not read, the connection ends with it. */
function answer(response: ServerResponse, status: keyof typeof SAID): void {
  const close = response.req.complete ? {} : { connection: 'close' };
  const allow = status === 405 ? { allow: 'POST' } : {};
  response.writeHead(status, { 'content-type': 'text/plain', server: DOORBELL_NAME, ...allow, ...close });
  response.end(SAID[status]);
}

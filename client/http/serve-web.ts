/** The web server of the page: loopback only, one table of routes, one stream, and the page's own files. It keeps no state but who is signed in. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { messageOf } from '../../config/system/error-code.js';
import type { LookPlace } from '../look/find-runs.js';
import { isShellPath, VIEW_PATHS } from '../views/page-paths.js';
import { refuseRequest } from './admit-request.js';
import { RunLister } from './list-runs.js';
import { LiveHub } from './live-hub.js';
import { type PageFile, type PageFileName, readPageFile } from './page-files.js';
import { redactedJson } from './redacted-json.js';
import { Answered, type Route, WebFailure, type WebParts } from './route.js';
import { ROUTES } from './routes.js';
import { streamOf } from './serve-stream.js';
import { type Connect, ServerAway, ServerLine } from './server-line.js';
import type { Failure } from './shapes.js';
import { MAX_TOPICS, readTopics, TOPIC_FORMS } from './topics.js';
import { WebSession } from './web-session.js';

export interface ServeWeb {
  readonly host: string;
  readonly port: number;
  /** Names of a tunnel, lower case. */
  readonly hosts: readonly string[];
  readonly connect: Connect;
  readonly place: LookPlace;
  /** The person who decides by the page. */
  readonly by: string;
  /** How a person gets another code. */
  readonly newCode: string;
}

export interface WebServer extends AsyncDisposable {
  /** `127.5.6.7:19233`. */
  readonly address: string;
  readonly session: WebSession;
}

/** **Unit** bytes. */
const MAX_BODY = 256 * 1024;
const MAX_HEADERS = 16 * 1024;
/** **Unit** ms: of a request, its body included. */
const REQUEST_MS = 20_000;
const LOOK_FOR_LATE_MS = 500;
const MAX_CONNECTIONS = 256;
const MAX_STREAMS = 64;

interface Env {
  readonly Bindings: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };
}

type Asked = Context<Env>;

/** Errors: plain Error where the page is not built; the system's where the address cannot be had. */
export async function serveWeb(served: ServeWeb): Promise<WebServer> {
  const line = new ServerLine(served.connect);
  const lister = new RunLister(line, served.place);
  const session = new WebSession();
  const { home } = served.place;
  const { by, newCode } = served;
  const parts: WebParts = { session, line, lister, hub: new LiveHub(lister, line, home), home, by, newCode };
  const files = await readFiles();
  const names: { address: string; hosts: readonly string[] } = {
    address: `${served.host}:${served.port}`,
    hosts: served.hosts,
  };
  const app = new Hono<Env>();
  app.use(async (asked, next) => {
    const { method = '', url = '', rawHeaders } = asked.env.incoming;
    const refused = refuseRequest({ method, target: url, rawHeaders }, names, isShellPath(asked.req.path));
    if (refused !== null) return fail(refused.status, { error: refused.why, mend: null });
    await next();
    for (const [name, value] of HEADERS) asked.res.headers.set(name, value);
    return undefined;
  });
  addPage(app, files);
  addRoutes(app, parts);
  addStream(app, parts);
  app.notFound(() => fail(404, { error: 'there is nothing here', mend: null }));
  app.onError(failed);
  const server = await listen(app, served);
  const bound = server.address();
  if (bound !== null && typeof bound === 'object') names.address = `${served.host}:${bound.port}`;
  return {
    address: names.address,
    session,
    async [Symbol.asyncDispose]() {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await ended;
      await line[Symbol.asyncDispose]();
    },
  };
}

/** Of every answer. The page has no inline code, is shown in no frame and sends nothing elsewhere. */
const HEADERS: readonly (readonly [string, string])[] = [
  [
    'content-security-policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
];

function addPage(app: Hono<Env>, files: Readonly<Record<PageFileName, PageFile>>): void {
  const give = ({ type, text }: PageFile) => new Response(text, { headers: { 'content-type': type } });
  for (const path of VIEW_PATHS) app.get(path, () => give(files['index.html']));
  app.get('/main.js', () => give(files['main.js']));
  app.get('/style.css', () => give(files['style.css']));
}

function addRoutes(app: Hono<Env>, parts: WebParts): void {
  const limit = bodyLimit({
    maxSize: MAX_BODY,
    onError: () => fail(413, { error: 'a body has at most 256 KiB', mend: null }),
  });
  for (const route of ROUTES) app.on(route.method, route.path, limit, (asked) => answer(asked, route, parts));
}

async function answer(asked: Asked, route: Route, parts: WebParts): Promise<Response> {
  if (route.open !== true) checkKey(asked, parts);
  const params = route.params.safeParse(asked.req.param());
  if (!params.success) throw new WebFailure(404, 'there is nothing of this name');
  const body = route.body.safeParse(route.method === 'GET' ? {} : await readBody(asked));
  if (!body.success) throw new WebFailure(400, body.error.issues.map(issueText).join('; '));
  const answered = await route.handle({ params: params.data, body: body.data }, parts);
  const [status, value] = answered instanceof Answered ? [answered.status, answered.value] : [200, answered];
  return new Response(redactedJson(value), { status, headers: { 'content-type': 'application/json' } });
}

function issueText({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
}

/** Errors: WebFailure. */
function checkKey({ req }: Asked, { session, newCode }: WebParts): void {
  const [, key] = /^Bearer ([\w-]{1,100})$/.exec(req.header('authorization') ?? '') ?? [];
  if (key === undefined || !session.isKey(key)) throw new WebFailure(401, 'sign in with a code', newCode);
}

async function readBody({ req }: Asked): Promise<unknown> {
  if (req.header('content-type') !== 'application/json') throw new WebFailure(400, 'a body is application/json');
  try {
    return JSON.parse(await req.text()) as unknown;
  } catch {
    throw new WebFailure(400, 'the body is no JSON');
  }
}

function addStream(app: Hono<Env>, parts: WebParts): void {
  const { hub } = parts;
  let streams = 0;
  app.get('/api/stream', (asked) => {
    checkKey(asked, parts);
    const topics = readTopics(asked.req.queries('topic') ?? []);
    if (topics === null) throw new WebFailure(400, `it needs 1 to ${MAX_TOPICS} topics: ${TOPIC_FORMS.join(', ')}`);
    if (streams >= MAX_STREAMS) throw new WebFailure(503, `there are ${MAX_STREAMS} streams already`);
    streams += 1;
    const { incoming, outgoing } = asked.env;
    const body = streamOf({
      topics,
      hub,
      cut: () => outgoing.destroy(),
      onEnd: () => (streams -= 1),
      // An answer that waits behind another on its connection is not told that this has ended; its request is.
      onClosed: (end) => {
        for (const half of [incoming, outgoing]) half.once('close', end);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  });
}

function failed(error: unknown): Response {
  if (error instanceof WebFailure) return fail(error.status, { error: error.message, mend: error.mend });
  if (error instanceof ServerAway) return fail(503, { error: `not now: ${error.message}`, mend: error.mend });
  return fail(500, { error: messageOf(error), mend: null });
}

function fail(status: number, failure: Failure): Response {
  return new Response(redactedJson(failure), {
    status,
    headers: [...HEADERS, ['content-type', 'application/json']] as [string, string][],
  });
}

async function readFiles(): Promise<Readonly<Record<PageFileName, PageFile>>> {
  const [index, main, style] = await Promise.all((['index.html', 'main.js', 'style.css'] as const).map(readPageFile));
  if (index === undefined || main === undefined || style === undefined) throw new Error('three files were read');
  return { 'index.html': index, 'main.js': main, 'style.css': style };
}

/** Errors: the system's, such as EADDRINUSE. */
function listen(app: Hono<Env>, { host, port }: ServeWeb): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: app.fetch,
        hostname: host,
        port,
        // The rest of the process has its own.
        overrideGlobalObjects: false,
        serverOptions: {
          maxHeaderSize: MAX_HEADERS,
          headersTimeout: REQUEST_MS,
          requestTimeout: REQUEST_MS,
          connectionsCheckingInterval: LOOK_FOR_LATE_MS,
        },
      },
      () => resolve(server as Server),
    ) as Server; // It is one of node:http, as no other was asked for.
    server.maxConnections = MAX_CONNECTIONS;
    // It listens on: an error of later, such as of a connection for which no descriptor is left, ends nothing.
    server.on('error', reject);
  });
}

/**
 * A forge of a test's own on loopback: GitHub's REST and GraphQL interfaces as far as the product uses them, and git over http, on one real bare repository. Its address is that of a GitHub
 * Enterprise server. What it does wrong the test says (`faults`); what was asked of it, and what of it was done, stands in its log.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { type Fault, Faults } from './faults.js';
import { answerGraphql } from './forge-graphql.js';
import { answerRest, type RestAnswer, routeOf } from './forge-rest.js';
import { answerSettings } from './forge-settings.js';
import { type FakePull, ForgeState } from './forge-state.js';

export interface FakeForge {
  readonly state: ForgeState;
  readonly faults: Faults;
  readonly apiUrl: string;
  /** Of the repository, without a user. */
  readonly gitUrl: string;
  readonly token: string;
  close(): void;
}

export const FAKE_TOKEN = 'plain-token-of-the-fake-forge';

export async function openFakeForge(folder: string, name = 'owner/name'): Promise<FakeForge> {
  const state = new ForgeState(folder, name);
  state.scopes.set(FAKE_TOKEN, 'repo');
  const faults = new Faults();
  const server = createServer((request, response) => {
    void serve({ state, faults }, request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a server that listens on a port.
  const origin = `http://127.0.0.1:${port}`;
  return {
    state,
    faults,
    token: FAKE_TOKEN,
    apiUrl: `${origin}/api/v3`,
    gitUrl: `${origin}/${name}.git`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Served {
  readonly state: ForgeState;
  readonly faults: Faults;
}

async function serve(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (!url.pathname.startsWith('/api/')) return serveGit(served, request, response);
  const text = (await buffer(request)).toString('utf8');
  const body = fieldsOf(text === '' ? {} : JSON.parse(text));
  const operation = url.pathname === '/api/graphql' ? operationOf(String(body['query'])) : null;
  const path = url.pathname.replace(/^\/api\/v3\/repos\/[^/]+\/[^/]+\/?/, '');
  const method = request.method ?? 'GET';
  const name = operation ?? routeOf({ method, path });
  const act = (state: ForgeState): RestAnswer => {
    if (operation !== null) return { status: 200, body: answerGraphql(state, operation, fieldsOf(body['variables'])) };
    const former = state.formerName !== null && url.pathname.includes(`/repos/${state.formerName}`);
    if (former) return { status: 301, body: { message: 'Moved Permanently' } };
    if (!url.pathname.includes(`/repos/${state.name}`)) return { status: 404, body: { message: 'Not Found' } };
    const asked = { method, path, query: url.searchParams, body };
    return (
      answerSettings(state, asked) ?? answerRest(state, asked) ?? { status: 404, body: { message: `no route ${name}` } }
    );
  };
  const { id } = fieldsOf(body['variables']);
  const about = operation === null ? path : typeof id === 'string' ? id : '';
  await answer(served, { name, about, act, scopes: scopesOf(served.state, request) }, response);
}

interface Asked {
  readonly name: string;
  readonly about: string;
  readonly act: (state: ForgeState) => RestAnswer;
  /** Null: nobody knows the token. */
  readonly scopes: string | null;
}

async function answer({ state, faults }: Served, { name, about, act, scopes }: Asked, response: ServerResponse) {
  faults.log.push({ request: name, at: 'came', status: null, about });
  const send = ({ status, body }: RestAnswer, headers: Readonly<Record<string, string>> = {}) => {
    const date = new Date(Date.now() + state.clockOff).toUTCString();
    const type = 'application/json; charset=utf-8';
    const told = scopes === null || scopes === '' ? {} : { 'x-oauth-scopes': scopes };
    response.writeHead(status, { 'content-type': type, date, ...told, ...headers });
    response.end(status === 204 ? '' : JSON.stringify(body));
  };
  if (scopes === null) return send({ status: 401, body: { message: 'Bad credentials' } });
  const fault = faults.take(name);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'error') return send({ status: 500, body: { message: 'Server Error' } });
  if (fault?.kind === 'status') {
    fault.act?.();
    return send({ status: fault.status, body: { message: fault.message } });
  }
  if (fault?.kind === 'limited') return sendLimit(state, fault.by, send);
  if (fault?.kind === 'before') fault.act();
  if (fault?.kind === 'behind') return send(act(asItWas(state, state.pulls, true)));
  if (fault?.kind === 'stale') return send(act(asItWas(state, fault.pulls)));
  if (fault?.kind === 'of_before') return send(act(asItWas(state, state.pullsAt(Date.now() - fault.ms))));
  const done = act(state);
  state.remember();
  faults.log.push({ request: name, at: 'done', status: saidIn(done), about });
  if (fault?.kind === 'dropped') return void response.destroy();
  if (fault?.kind === 'error_after') return send({ status: 502, body: { message: 'Bad Gateway' } });
  if (fault?.kind !== 'twice') return send(done);
  const again = act(state);
  faults.log.push({ request: name, at: 'done', status: saidIn(again), about });
  send(again);
}

/** GraphQL refuses with HTTP 200. */
function saidIn({ status, body }: RestAnswer): number {
  return fieldsOf(body)['errors'] === undefined ? status : 422;
}

/** The same repository and rules beside other pull requests. */
function asItWas(state: ForgeState, pulls: readonly FakePull[], isBehind = false): ForgeState {
  const was = { pulls: structuredClone(pulls), isBehind };
  return Object.assign(Object.create(ForgeState.prototype) as ForgeState, state, was);
}

function sendLimit(
  state: ForgeState,
  by: Extract<Fault, { kind: 'limited' }>['by'],
  send: (answer: RestAnswer, headers?: Readonly<Record<string, string>>) => void,
): void {
  const body = { message: 'API rate limit exceeded' };
  const reset = String(Math.floor((Date.now() + state.clockOff) / 1000) + 120);
  if (by === 'retry-after') return send({ status: 403, body }, { 'retry-after': '7' });
  if (by === 'reset') return send({ status: 403, body }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
  if (by === 'second')
    return send({ status: 403, body: { message: 'You have exceeded a secondary rate limit. Please wait.' } });
  const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }];
  send({ status: 200, body: { errors } }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
}

function scopesOf({ scopes }: ForgeState, { headers }: IncomingMessage): string | null {
  const [kind = '', value = ''] = (headers.authorization ?? '').split(' ');
  const token = kind === 'Basic' ? Buffer.from(value, 'base64').toString('utf8').split(':')[1] : value;
  return scopes.get(token ?? '') ?? null;
}

/** The CGI of git itself. */
async function serveGit({ state, faults }: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const service = url.searchParams.get('service') ?? url.pathname.split('/').at(-1) ?? '';
  const name = `git ${service.replace('git-', '')}${request.method === 'GET' ? ' refs' : ''}`;
  const isNobody = scopesOf(state, request) === null;
  faults.log.push({ request: name, at: 'came', status: isNobody ? 401 : null, about: null });
  // Git asks without a token first, to see how it is to be given.
  if (isNobody) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
    return;
  }
  const fault = faults.take(name);
  if (fault?.kind === 'hang') return;
  const former = state.formerName !== null && url.pathname.startsWith(`/${state.formerName}.git/`);
  if (former) return void response.writeHead(301, { location: `/${state.name}.git` }).end();
  if (!url.pathname.startsWith(`/${state.name}.git/`)) return void response.writeHead(404).end();
  if (fault?.kind === 'error') return void response.writeHead(500).end();
  if (fault?.kind === 'status') return void response.writeHead(fault.status, { location: fault.message }).end();
  if (fault?.kind === 'limited') return void response.writeHead(403, { 'retry-after': '7' }).end();
  if (fault?.kind === 'before') fault.act();
  const refusal = state.isArchived
    ? 'This repository was archived so it is read-only.'
    : 'Permission denied to sluice.';
  if (service.endsWith('receive-pack') && (state.isArchived || !state.permissions.push))
    return void response.writeHead(403, { 'content-type': 'text/plain' }).end(refusal);
  const zipped = request.headers['content-encoding'] === 'gzip';
  const input = await buffer(zipped ? request.pipe(createGunzip()) : request);
  const serveOnce = async () => {
    const served = await runBackend(state, { url, request, input });
    if (request.method === 'POST') state.noticeMerged();
    state.remember();
    faults.log.push({ request: name, at: 'done', status: 200, about: null });
    return served;
  };
  let output = await serveOnce();
  if (fault?.kind === 'twice') output = await serveOnce();
  if (fault?.kind === 'dropped') return void response.destroy();
  if (fault?.kind === 'error_after') return void response.writeHead(502).end();
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .subarray(0, end)
    .toString('latin1')
    .split('\r\n')
    .map((line) => line.split(/: ?/, 2) as [string, string]);
  const status = Number(headers.find(([header]) => header === 'Status')?.[1]?.slice(0, 3) ?? 200);
  response.writeHead(status, Object.fromEntries(headers.filter(([header]) => header !== 'Status')));
  response.end(output.subarray(end + 4));
}

async function runBackend(
  { bare }: ForgeState,
  { url, request, input }: { readonly url: URL; readonly request: IncomingMessage; readonly input: Buffer },
): Promise<Buffer> {
  const path = url.pathname.replace(/^.*\.git/, '');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: bare,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      REQUEST_METHOD: request.method ?? 'GET',
      QUERY_STRING: url.search.slice(1),
      REMOTE_USER: 'sluice',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(input.length),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => undefined);
  backend.stdin.end(input);
  return buffer(backend.stdout);
}

function operationOf(query: string): string {
  return /^\s*(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? 'nameless';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * A provider on loopback for real CLIs: aimock speaks the protocols, a front before it keeps the journal and plays what aimock cannot (a hang,
 * a reset, a byte a second, headers of limits). The journal is the proof that a CLI really called. A fault counts for requests with one of our prompts and tools.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAimock } from './aimock.js';
import { readMarkers } from './prompt-markers.js';
import { apiOf, type Fault, faultOf, type ProviderApi } from './provider-faults.js';

export interface ProviderCall {
  /** ISO 8601. */
  readonly at: string;
  readonly api: ProviderApi | null;
  readonly method: string;
  readonly path: string;
  readonly client: string;
  readonly stage: string | null;
  readonly round: number;
  /** Of the request's tools; 0 in requests for titles and the like. */
  readonly tools: number;
  /** How often our marker stands in it: more than one in a conversation that goes on. */
  readonly prompts: number;
  /** The steps that those prompts are for, in their order. */
  readonly steps: readonly number[];
  /** Tool results since our last marker; 0 in the first request of a turn. */
  readonly results: number;
  /** The marker that answered, or `model`. */
  readonly answered: string;
}

export interface MockProvider {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  calls(): readonly ProviderCall[];
  /** Lets every held answer go, and those to come. */
  release(): void;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** `packageFolder`: where aimock is installed. */
export async function startMockProvider(packageFolder: string): Promise<MockProvider> {
  const aimock = await startAimock(packageFolder);
  const state: FrontState = { aimockUrl: aimock.url, calls: [], uses: new Map(), held: makeHold() };
  const server = createServer((incoming, response) => {
    answer(state, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`, // A TCP server that listens has one.
    calls: () => state.calls,
    release: () => state.held.resolve(),
    async close() {
      state.held.resolve();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await aimock.stop();
    },
  };
}

interface FrontState {
  readonly aimockUrl: string;
  readonly calls: ProviderCall[];
  /** By the whole text of the marker. */
  readonly uses: Map<string, number>;
  readonly held: { readonly promise: Promise<void>; resolve(): void };
}

function makeHold(): FrontState['held'] {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

async function answer(state: FrontState, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(incoming);
  const path = incoming.url ?? '/';
  const api = apiOf(path);
  const markers = readMarkers(body);
  const tools = toolCount(body);
  const chosen = api === null || markers.stage === null || tools === 0 ? null : chooseFault(state, body, api);
  state.calls.push({
    at: new Date().toISOString(),
    api,
    path,
    tools,
    method: incoming.method ?? '',
    client: incoming.headers['user-agent'] ?? '',
    stage: markers.stage,
    round: markers.round,
    prompts: body.split('[stage:').length - 1,
    steps: [...body.matchAll(/\[stage:\w+\][^\n"]{0,40} \[step:(\d+)\]/g)].map(([, step]) => Number(step)),
    results: toolResults(body),
    answered: chosen?.marker ?? 'model',
  });
  await play(state, chosen?.fault ?? null, { incoming, response, body, path });
}

/** The first marker of the prompt that holds in this stage and is not used up. */
function chooseFault(
  state: FrontState,
  body: string,
  api: ProviderApi,
): { readonly fault: Fault; readonly marker: string } | null {
  const { stage, faults } = readMarkers(body);
  for (const marker of faults) {
    const fault = faultOf(marker, api, new Date());
    const used = state.uses.get(marker.text) ?? 0;
    if (
      fault === null ||
      (marker.settings['stage'] ?? stage) !== stage ||
      used >= Number(marker.settings['times'] ?? Infinity)
    )
      continue;
    state.uses.set(marker.text, used + 1);
    return { fault, marker: marker.text };
  }
  return null;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  readonly path: string;
}

async function play(state: FrontState, fault: Fault | null, exchange: Exchange): Promise<void> {
  switch (fault?.kind) {
    case 'answer':
      exchange.response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    case 'hang':
      return;
    case 'reset':
      exchange.response.destroy();
      return;
    case 'hold':
      await state.held.promise;
      return pass(state, exchange, (chunk) => void exchange.response.write(chunk));
    case 'slow':
      await sleep(fault.ms, undefined, { ref: false });
      return pass(state, exchange, (chunk) => void exchange.response.write(chunk));
    case 'trickle':
      return pass(state, exchange, async (chunk) => {
        for (const byte of chunk) {
          exchange.response.write(Buffer.of(byte));
          await sleep(1000, undefined, { ref: false });
          if (exchange.response.destroyed) return;
        }
      });
    case undefined:
      return pass(state, exchange, (chunk) => void exchange.response.write(chunk));
  }
}

async function pass(
  state: FrontState,
  exchange: Exchange,
  write: (chunk: Buffer) => void | Promise<void>,
): Promise<void> {
  const { incoming, response, body, path } = exchange;
  const {
    host: _host,
    connection: _connection,
    'content-length': _length,
    'transfer-encoding': _encoding,
    ...headers
  } = incoming.headers;
  const upstream = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpRequest(
      `${state.aimockUrl}${path}`,
      { method: incoming.method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      resolve,
    );
    request.once('error', reject).end(body);
  });
  const {
    'content-length': _answered,
    'transfer-encoding': _chunked,
    connection: _closed,
    ...answered
  } = upstream.headers;
  response.writeHead(upstream.statusCode ?? 502, answered);
  for await (const chunk of upstream as AsyncIterable<Buffer>) await write(chunk);
  response.end();
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function toolCount(body: string): number {
  try {
    const { tools } = JSON.parse(body) as { readonly tools?: unknown };
    return Array.isArray(tools) ? tools.length : 0;
  } catch {
    return 0;
  }
}

/** In the words of all APIs. */
function toolResults(body: string): number {
  const own = body.slice(body.lastIndexOf('[stage:'));
  return [
    ...own.matchAll(
      /"type":"tool_result"|"role":"tool"|"type":"(?:custom_tool_call|function_call)_output"|"functionResponse":/g,
    ),
  ].length;
}

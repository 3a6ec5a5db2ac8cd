/** `sluice web` as a person starts it, and requests to it with exactly the headers that a test gives. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { StreamEvent } from '../../client/http/shapes.js';
import { type CliProcess, type CliWorld, jsonLines } from './cli-world.js';
import { until } from './until.js';

export interface WebAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Null where it is no JSON. */
  readonly json: unknown;
}

export interface WebRequest {
  readonly method?: string;
  /** Besides Host, which is ours unless it is named here. Several of one name: a list. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  /** Null: none. By default the one of `signIn`. */
  readonly key?: string | null;
}

export interface ServedWeb {
  readonly process: CliProcess;
  /** `127.5.6.7:19233`. */
  readonly address: string;
  /** With the code that it printed first. */
  readonly url: string;
  /** Empty where it was not asked for. */
  readonly key: string;
  ask(path: string, asked?: WebRequest): Promise<WebAnswer>;
  /** Reads events until `enough` says so. */
  follow(
    topics: readonly string[],
    enough: (events: readonly StreamEvent[]) => boolean,
  ): Promise<readonly StreamEvent[]>;
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly port?: number;
  /** False: the code that it printed stays to be taken. */
  readonly signsIn?: boolean;
}

export async function serveWebOf(
  world: Pick<CliWorld, 'start'>,
  cwd: string,
  options: ServeOptions = {},
): Promise<ServedWeb> {
  const { port = 20_000 + Math.floor(Math.random() * 20_000), signsIn = true } = options;
  const process = world.start(['web', '--json', '--port', String(port)], { cwd });
  let printed = '';
  process.process.stdout?.on('data', (text: string) => (printed += text));
  await until(() => printed.includes('\n') || process.process.exitCode !== null);
  const [first] = jsonLines(printed);
  if (first?.['kind'] !== 'web') throw new Error(`sluice web ended: ${(await process.done).stderr}`);
  const address = String(first['address']);
  const url = String(first['url']);
  const plain = (path: string, asked: WebRequest = {}) => askWeb(address, path, asked);
  const code = url.split('#')[1] ?? '';
  const signedIn = signsIn ? await plain('/api/session', { method: 'POST', body: { code } }) : null;
  const { key } = (signedIn?.json ?? { key: '' }) as { readonly key: string };
  return {
    process,
    address,
    url,
    key,
    ask: (path, asked = {}) => plain(path, { key, ...asked }),
    follow: (topics, enough) => follow({ address, key, topics }, enough),
    async stop() {
      process.process.kill('SIGTERM');
      await process.done;
    },
  };
}

async function askWeb(address: string, path: string, asked: WebRequest): Promise<WebAnswer> {
  const { method = 'GET', headers = {}, body, key = null } = asked;
  const text = asked.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const [host, port] = address.split(':');
  const sent = request({
    host,
    port,
    path,
    method,
    setHost: false,
    agent: false,
    headers: {
      Host: address,
      ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
  sent.end(text);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let told = '';
  for await (const piece of answer.setEncoding('utf8')) told += String(piece);
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: told, json: jsonOf(told) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface Followed {
  readonly address: string;
  readonly key: string;
  readonly topics: readonly string[];
}

async function follow(
  { address, key, topics }: Followed,
  enough: (events: readonly StreamEvent[]) => boolean,
): Promise<readonly StreamEvent[]> {
  const query = topics.map((topic) => `topic=${encodeURIComponent(topic)}`).join('&');
  const stop = new AbortController();
  const answer = await fetch(`http://${address}/api/stream?${query}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: stop.signal,
  });
  if (answer.body === null || !answer.ok) throw new Error(`no stream: ${answer.status} ${await answer.text()}`);
  const events: StreamEvent[] = [];
  let rest = '';
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks)
      if (block.startsWith('data: ')) events.push(JSON.parse(block.slice('data: '.length)) as StreamEvent);
    if (enough(events)) break;
  }
  stop.abort();
  return events;
}

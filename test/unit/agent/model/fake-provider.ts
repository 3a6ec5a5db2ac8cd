/**
 * A server on loopback that speaks as much of the protocols of Anthropic, OpenAI (responses) and compatible servers (chat completions) as one streamed
 * answer needs. What it answers is said per test; it keeps what it was asked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ModelProvider } from '../../../../protocol/run/policy.js';

export interface AskedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface FakeProvider {
  readonly url: string;
  readonly asked: readonly AskedRequest[];
  close(): Promise<void>;
}

export type Answering = (response: ServerResponse) => void | Promise<void>;

export async function startProvider(answer: Answering): Promise<FakeProvider> {
  const asked: AskedRequest[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body: AskedRequest['body'] = JSON.parse((await text(request)) || '{}');
    asked.push({ url: request.url ?? '', headers: request.headers, body });
    await answer(response);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A whole answer of these parts. `stop`: the provider's own word for its end. */
export function answering(provider: ModelProvider, parts: readonly string[], stop?: string): Answering {
  return (response) => {
    begin(response);
    for (const event of eventsOf(provider, parts, stop)) response.write(event);
    response.end();
  };
}

/** Ends, or breaks, after the first text. */
export function breakingOff(provider: ModelProvider, how: 'ends' | 'resets'): Answering {
  return async (response) => {
    begin(response);
    const events = eventsOf(provider, ['half of ', 'it']);
    const kept = events.slice(0, events.findIndex((event) => event.includes('half of ')) + 1);
    await new Promise((resolve) => response.write(kept.join(''), resolve));
    if (how === 'ends') response.end();
    else response.socket?.resetAndDestroy();
  };
}

/** A whole answer, a byte at a time. */
export function trickling(provider: ModelProvider, parts: readonly string[]): Answering {
  return async (response) => {
    begin(response);
    for (const byte of Buffer.from(eventsOf(provider, parts).join('')))
      await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
    response.end();
  };
}

export function refusing(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answering {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** An error in the stream after some text. */
export function erring(provider: ModelProvider, error: unknown): Answering {
  return (response) => {
    begin(response);
    const events = eventsOf(provider, ['half of ', 'it']);
    const kept = events.slice(0, events.findIndex((event) => event.includes('half of ')) + 1);
    response.end(`${kept.join('')}event: error\ndata: ${JSON.stringify(error)}\n\n`);
  };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** 1000 tokens in, 400 of them from a cache; 50 out. */
function eventsOf(provider: ModelProvider, parts: readonly string[], stop?: string): readonly string[] {
  switch (provider) {
    case 'anthropic':
      return anthropic(parts, stop ?? 'end_turn').map(
        (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
      );
    case 'openai':
      return responses(parts, stop).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    case 'openai-compatible':
      return [...chat(parts, stop ?? 'stop').map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
  }
}

function anthropic(parts: readonly string[], stop: string) {
  const usage = { input_tokens: 600, cache_read_input_tokens: 400, cache_creation_input_tokens: 0, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...parts.map((part) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: part } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 50 } },
    { type: 'message_stop' },
  ];
}

function responses(parts: readonly string[], stop?: string) {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', service_tier: 'default' };
  const usage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const item = { id: 'i1', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  return [
    { type: 'response.created', sequence_number: 0, response },
    { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item },
    ...parts.map((delta, index) => ({
      type: 'response.output_text.delta',
      sequence_number: index + 2,
      item_id: 'i1',
      output_index: 0,
      content_index: 0,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_item.done', sequence_number: 90, output_index: 0, item: { ...item, status: 'completed' } },
    stop === undefined
      ? { type: 'response.completed', sequence_number: 91, response: { ...response, incomplete_details: null, usage } }
      : {
          type: 'response.incomplete',
          sequence_number: 91,
          response: { ...response, incomplete_details: { reason: stop }, usage },
        },
  ];
}

function chat(parts: readonly string[], stop: string) {
  const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return [
    ...parts.map((content) => ({
      ...chunk,
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }],
    })),
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: stop }] },
    {
      ...chunk,
      choices: [],
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 50,
        total_tokens: 1050,
        prompt_tokens_details: { cached_tokens: 400 },
      },
    },
  ];
}

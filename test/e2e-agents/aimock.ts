/**
 * Starts aimock, which speaks the protocols of the providers, and gives it the script. It is no dependency of the package, so its types are
 * not known here: the few members in use are written down below, and a version without them fails at the start.
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modelAnswer } from './model-script.js';
import { readMarkers } from './prompt-markers.js';

interface ChatMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[] | null;
}

/** Of whatever API it came by. */
interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function?: { readonly name?: string }; readonly name?: string }[];
}

interface Mock {
  on(match: { predicate(request: ChatRequest): boolean }, answer: (request: ChatRequest) => object): void;
  start(): Promise<string>;
  stop(): Promise<void>;
}

export interface Aimock {
  readonly url: string;
  stop(): Promise<void>;
}

/** Of every answer. Both spellings, since each API takes its own. */
const USAGE = { prompt_tokens: 1000, completion_tokens: 100, input_tokens: 1000, output_tokens: 100 };

export async function startAimock(packageFolder: string): Promise<Aimock> {
  const entry = createRequire(pathToFileURL(join(packageFolder, 'package.json'))).resolve('@copilotkit/aimock');
  const { LLMock } = (await import(pathToFileURL(entry).href)) as { readonly LLMock: new (options: object) => Mock }; // The package's documented export.
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  mock.on({ predicate: () => true }, answer);
  const url = await mock.start();
  return { url, stop: () => mock.stop() };
}

function answer(request: ChatRequest): object {
  const { messages } = request;
  const texts = messages.map(textOf);
  const asked = messages.findLastIndex(({ role }, at) => role === 'user' && (texts[at] ?? '').includes('[stage:'));
  const said = modelAnswer({
    markers: readMarkers(texts[asked] ?? ''),
    results: messages.slice(asked + 1).filter(({ role }) => role === 'tool').length,
    tools: (request.tools ?? []).map((tool) => tool.function?.name ?? tool.name ?? ''),
    cwd: workingFolder(texts.join('\n')),
  });
  if (said.kind === 'text') return { content: said.text, usage: USAGE };
  return { toolCalls: [{ name: said.name, arguments: JSON.stringify(said.arguments) }], usage: USAGE };
}

function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');
}

/** Each CLI tells its model where it works. */
function workingFolder(text: string): string {
  return (
    /(?:Primary working directory|Working directory|<cwd>|Current Working Directory)[: ]*([^\n<]+)/i
      .exec(text)?.[1]
      ?.trim() ?? ''
  );
}

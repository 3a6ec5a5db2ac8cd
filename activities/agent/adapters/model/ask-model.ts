/**
 * One call of a model by the provider packages of the AI SDK, streamed. They are used without the SDK's own core, which would add its retries, its
 * telemetry and twice the start time of this program. Errors: those of the provider, as they are; call-error.ts reads them.
 */
import type {
  JSONSchema7,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { z } from 'zod';
import { costOf } from '../../../../config/keys/model-price.js';
import type { ModelProvider } from '../../../../protocol/run/policy.js';
import { ANSWER_SCHEMAS, type AnswerKind } from './answer-schema.js';
import { CallTrouble, STREAM_ENDED } from './call-error.js';
import { KEY_VARIABLES } from './provider-keys.js';

export interface Question {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly answer: AnswerKind;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  /** As the provider names it. */
  readonly effort: string | null;
}

export interface Asking {
  readonly prompt: string;
  /** Empty: none. */
  readonly key: string;
  readonly print: (event: Readonly<Record<string, unknown>>) => void;
}

export async function askModel(question: Question, { prompt, key, print }: Asking): Promise<void> {
  const { provider } = question;
  if (key === '' && provider !== 'openai-compatible')
    throw new CallTrouble('no_key', `${KEY_VARIABLES[provider]} is not set`);
  const model = await openModel(question, key);
  const { stream } = await model.doStream(callOf(question, prompt));
  for await (const part of stream) {
    const event = eventOf(question, part);
    if (event !== null) print(event);
    if (event?.['type'] === 'end') return;
  }
  throw new CallTrouble(STREAM_ENDED, 'the stream ended before the answer did');
}

/** Loads the package of the one provider. Every address is named here, so that no variable of the SDK's turns it elsewhere. */
async function openModel({ provider, model, baseUrl }: Question, key: string): Promise<LanguageModelV3> {
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey: key, baseURL: baseUrl ?? 'https://api.anthropic.com/v1', fetch: fetchHere })(
        model,
      );
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey: key, baseURL: baseUrl ?? 'https://api.openai.com/v1', fetch: fetchHere })(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const settings = { name: COMPATIBLE, baseURL: baseUrl ?? '', includeUsage: true, fetch: fetchHere };
      return createOpenAICompatible(key === '' ? settings : { ...settings, apiKey: key })(model);
    }
  }
}

const COMPATIBLE = 'compatible';

/** A redirect would take the key along to another host. */
const fetchHere: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

function callOf({ provider, answer, effort }: Question, prompt: string): LanguageModelV3CallOptions {
  return {
    prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    ...(answer === 'text' ? {} : { responseFormat: { type: 'json', name: answer, schema: jsonSchemaOf(answer) } }),
    ...(effort === null ? {} : { providerOptions: effortOf(provider, effort) }),
  };
}

function jsonSchemaOf(answer: Exclude<AnswerKind, 'text'>): JSONSchema7 {
  // Zod's own type is that of all drafts together.
  return z.toJSONSchema(ANSWER_SCHEMAS[answer], { target: 'draft-7' }) as JSONSchema7;
}

function effortOf(provider: ModelProvider, effort: string): NonNullable<LanguageModelV3CallOptions['providerOptions']> {
  switch (provider) {
    case 'anthropic':
      return { anthropic: { effort } };
    case 'openai':
      return { openai: { reasoningEffort: effort } };
    case 'openai-compatible':
      return { [COMPATIBLE]: { reasoningEffort: effort } };
  }
}

/** Null: nothing to say. Errors: what the provider sent instead of an answer. */
function eventOf(question: Question, part: LanguageModelV3StreamPart): Readonly<Record<string, unknown>> | null {
  switch (part.type) {
    case 'text-delta':
      return { type: 'text', text: part.delta };
    case 'reasoning-delta':
      return { type: 'thinking' };
    case 'finish':
      return {
        type: 'end',
        finish: part.finishReason.unified,
        ending: part.finishReason.raw ?? '',
        usage: usageOf(question, part.usage),
      };
    case 'error':
      throw part.error;
    default:
      return null;
  }
}

function usageOf({ provider, model, baseUrl }: Question, { inputTokens, outputTokens }: LanguageModelV3Usage) {
  const tokensIn = inputTokens.total ?? null;
  const tokensOut = outputTokens.total ?? null;
  const asked = { provider, model, ...(baseUrl === null ? {} : { baseUrl }) };
  const cached = { cacheRead: inputTokens.cacheRead ?? 0, cacheWrite: inputTokens.cacheWrite ?? 0 };
  const costMicroUsd =
    tokensIn === null || tokensOut === null ? null : costOf(asked, { input: tokensIn, output: tokensOut, ...cached });
  return { tokensIn, tokensOut, costMicroUsd };
}

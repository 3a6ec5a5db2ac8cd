import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ModelEntry } from '../../../../activities/agent/adapters/model/model-command.js';
import { adapterOf } from '../../../../activities/agent/agent-adapters.js';
import { readDecision } from '../../../../activities/agent/answer/decision-line.js';
import { readFindings } from '../../../../activities/agent/answer/findings-block.js';
import { readHumanRequest } from '../../../../activities/agent/answer/human-request.js';
import { MODEL_PROVIDERS } from '../../../../protocol/run/policy.js';
import { aTurn } from '../turn-builder.js';
import { type Asked, type AskedTurn, askAsTurn, KEY } from './ask.js';
import {
  type Answering,
  answering,
  breakingOff,
  erring,
  type FakeProvider,
  refusing,
  startProvider,
  trickling,
} from './fake-provider.js';

const CODE = 'ab12cd34';
const FINDING = {
  id: 'F1',
  severity: 'high',
  category: 'tests',
  claim: 'no test',
  evidence: ['a.ts:3'],
  recommendation: 'add one',
} as const;
const REVIEW = { summary: 'It is ```fine', findings: [FINDING], request: null, decision: 'CHANGES_REQUESTED' };

const entry: ModelEntry = [resolve('dist/programs/model.js')];
let provider: FakeProvider | null = null;

afterEach(() => provider?.close());

async function ask(answer: Answering, turn: Omit<AskedTurn, 'baseUrl'>): Promise<Asked> {
  provider = await startProvider(answer);
  return askAsTurn(entry, { baseUrl: provider.url, ...turn });
}

describe.each(MODEL_PROVIDERS)('a turn of a model of %s', (name) => {
  it('is done with the text of the answer, its tokens, and the key shown nowhere', async () => {
    const { reading, seen } = await ask(answering(name, ['The plan:\n', 'do it.']), { provider: name });

    expect(reading).toMatchObject({
      outcome: { kind: 'done' },
      text: 'The plan:\ndo it.',
      conversation: null,
      denied: 0,
    });
    expect(reading.usage).toMatchObject({ tokensIn: 1000, tokensOut: 50 });
    expect(seen).not.toContain(KEY);
    expect(JSON.stringify(provider?.asked[0]?.headers)).toContain(KEY);
  });

  it('asks once, whatever is answered', async () => {
    await ask(refusing(500, { error: { message: 'boom', type: 'api_error' } }), { provider: name });

    expect(provider?.asked).toHaveLength(1);
  });

  it('is transient where the stream ends before the answer', async () => {
    const { reading } = await ask(breakingOff(name, 'ends'), { provider: name });

    expect(reading.outcome.kind).toBe('transient');
    expect(reading.text).toBe('half of ');
  });

  it('is transient where the connection is reset', async () => {
    expect((await ask(breakingOff(name, 'resets'), { provider: name })).reading.outcome.kind).toBe('transient');
  });

  it('reads an answer that comes a byte at a time', async () => {
    expect((await ask(trickling(name, ['slow ', 'but whole']), { provider: name })).reading).toMatchObject({
      outcome: { kind: 'done' },
      text: 'slow but whole',
    });
  });

  it('is transient where the server is not there', async () => {
    provider = await startProvider(() => undefined);
    const baseUrl = provider.url;
    await provider.close();

    expect((await askAsTurn(entry, { provider: name, baseUrl })).reading.outcome.kind).toBe('transient');
  });
});

describe('the cost of a turn of a model', () => {
  it.each([
    // 600 × 3 + 400 × 0.3 + 50 × 15, and 600 × 1.25 + 400 × 0.125 + 50 × 10, US dollars a million.
    ['anthropic', 'claude-sonnet-4-5', 2670],
    ['openai', 'gpt-5', 1300],
    ['anthropic', 'claude-of-tomorrow', null],
    ['openai-compatible', 'gpt-5', null],
  ] as const)('of %s and %s is %s micro-dollars', async (name, model, costMicroUsd) => {
    const { reading } = await ask(answering(name, ['x']), { provider: name, model });

    expect(reading.usage).toEqual({ tokensIn: 1000, tokensOut: 50, costMicroUsd });
  });

  it('is nothing for a request that was refused', async () => {
    const { reading } = await ask(refusing(429, { error: { message: 'slow down', type: 'rate_limit_error' } }), {
      provider: 'anthropic',
    });

    expect(reading.usage).toEqual({ tokensIn: 0, tokensOut: 0, costMicroUsd: 0 });
  });
});

describe.each(['anthropic', 'openai'] as const)('a decision of %s', (name) => {
  it('of a review is held to a schema and read like any review', async () => {
    const json = JSON.stringify(REVIEW);
    const { reading } = await ask(answering(name, [json.slice(0, 20), json.slice(20)]), {
      provider: name,
      turn: { stage: 'reviewing' },
    });

    expect(JSON.stringify(provider?.asked[0]?.body)).toContain('"CHANGES_REQUESTED"');
    expect(readDecision(reading.text, { stage: 'reviewing', code: CODE })).toEqual({
      kind: 'review',
      value: 'CHANGES_REQUESTED',
    });
    expect(readFindings(reading.text)).toEqual([FINDING]);
  });

  it('of a verification may ask for a person', async () => {
    const request = { kind: 'approval', text: 'look at the screen', reason: 'it is\nvisual', risk: 'low' };
    const json = JSON.stringify({ summary: '```\nopen fence', request, decision: 'NEEDS_HUMAN' });
    const { reading } = await ask(answering(name, [json]), { provider: name, turn: { stage: 'verifying' } });

    expect(readDecision(reading.text, { stage: 'verifying', code: CODE })).toEqual({
      kind: 'verification',
      value: 'NEEDS_HUMAN',
    });
    expect(readHumanRequest(reading.text, { stage: 'verifying', code: CODE })).toEqual({
      kind: 'approval',
      reason: 'it is visual',
      risk: 'low',
      action: 'look at the screen',
    });
  });

  it.each([
    ['no JSON', 'It is fine.'],
    ['JSON that breaks off', JSON.stringify(REVIEW).slice(0, -9)],
    ['another decision', JSON.stringify({ ...REVIEW, decision: 'PASSED' })],
    ['a missing key', JSON.stringify({ decision: 'APPROVED' })],
  ])('that is %s is a text without a decision', async (_what, text) => {
    const { reading } = await ask(answering(name, [text]), { provider: name, turn: { stage: 'reviewing' } });

    expect(reading).toMatchObject({ outcome: { kind: 'done' }, text });
    expect(readDecision(reading.text, { stage: 'reviewing', code: CODE })).toEqual({ kind: 'unreadable' });
  });
});

describe('a decision of a compatible server', () => {
  it('is its decision line, and no schema is asked for', async () => {
    const text = `Fine.\n\nDECISION ${CODE}: APPROVED`;
    const { reading } = await ask(answering('openai-compatible', [text]), {
      provider: 'openai-compatible',
      turn: { stage: 'reviewing' },
    });

    expect(provider?.asked[0]?.body).not.toHaveProperty('response_format');
    expect(readDecision(reading.text, { stage: 'reviewing', code: CODE })).toEqual({
      kind: 'review',
      value: 'APPROVED',
    });
  });

  it('that writes JSON of the schema all the same is read as such', async () => {
    const { reading } = await ask(answering('openai-compatible', [JSON.stringify(REVIEW)]), {
      provider: 'openai-compatible',
      turn: { stage: 'reviewing' },
    });

    expect(readDecision(reading.text, { stage: 'reviewing', code: CODE })).toEqual({
      kind: 'review',
      value: 'CHANGES_REQUESTED',
    });
  });
});

describe('a failed call of a model', () => {
  const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });
  const openai = (code: string | null, message: string, type = 'x') => ({
    error: { message, type, code, param: null },
  });

  it.each([
    [
      'anthropic',
      401,
      anthropic('authentication_error', 'invalid x-api-key'),
      {},
      { kind: 'hard', why: expect.stringContaining('ANTHROPIC_API_KEY') },
    ],
    [
      'openai',
      401,
      openai('invalid_api_key', `Incorrect API key provided: ${KEY}`),
      {},
      { kind: 'hard', why: expect.stringContaining('OPENAI_API_KEY') },
    ],
    [
      'anthropic',
      403,
      anthropic('permission_error', 'not yours'),
      {},
      { kind: 'hard', why: expect.stringContaining('ANTHROPIC_API_KEY') },
    ],
    [
      'anthropic',
      400,
      anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
      {},
      { kind: 'usage_limit', until: null },
    ],
    [
      'openai',
      429,
      openai('insufficient_quota', 'You exceeded your current quota'),
      { 'retry-after': '9' },
      { kind: 'usage_limit', until: null },
    ],
    ['openai-compatible', 402, openai(null, 'Insufficient credits'), {}, { kind: 'usage_limit', until: null }],
    [
      'anthropic',
      429,
      anthropic('rate_limit_error', 'slow down'),
      { 'retry-after': '33' },
      { kind: 'rate_limited', afterMs: 33_000 },
    ],
    [
      'openai',
      429,
      openai('rate_limit_exceeded', 'slow down'),
      { 'retry-after-ms': '1500', 'retry-after': '2' },
      { kind: 'rate_limited', afterMs: 1500 },
    ],
    [
      'anthropic',
      429,
      anthropic('rate_limit_error', 'slow down'),
      { 'retry-after': '999999999' },
      { kind: 'rate_limited', afterMs: null },
    ],
    ['anthropic', 429, anthropic('rate_limit_error', 'slow down'), {}, { kind: 'rate_limited', afterMs: null }],
    ['openai-compatible', 429, 'Too Many Requests', {}, { kind: 'rate_limited', afterMs: null }],
    [
      'anthropic',
      400,
      anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      {},
      { kind: 'overflow' },
    ],
    ['anthropic', 413, anthropic('request_too_large', 'Request exceeds the maximum size'), {}, { kind: 'overflow' }],
    ['openai', 400, openai('context_length_exceeded', 'too many'), {}, { kind: 'overflow' }],
    [
      'openai-compatible',
      400,
      openai(null, "This model's maximum context length is 8192 tokens."),
      {},
      { kind: 'overflow' },
    ],
    ['openai', 400, openai('content_policy_violation', 'no'), {}, { kind: 'refused' }],
    ['anthropic', 529, anthropic('overloaded_error', 'Overloaded'), {}, { kind: 'transient' }],
    ['openai', 500, openai('server_error', 'oops'), {}, { kind: 'transient' }],
    ['openai-compatible', 503, '<html>down</html>', {}, { kind: 'transient' }],
    ['openai-compatible', 408, openai(null, 'timeout'), {}, { kind: 'transient' }],
    [
      'anthropic',
      404,
      anthropic('not_found_error', 'model: claude-9'),
      {},
      { kind: 'hard', why: expect.stringContaining('model: claude-9') },
    ],
    [
      'openai',
      400,
      openai('unsupported_value', '429 tests'),
      {},
      { kind: 'hard', why: expect.stringContaining('429 tests') },
    ],
  ] as const)('of %s with status %s and %j, headers %j, is %j', async (name, status, body, headers, outcome) => {
    const { reading, seen } = await ask(refusing(status, body, headers), { provider: name });

    expect(reading.outcome).toMatchObject(outcome);
    expect(seen).not.toContain(KEY);
  });

  it.each([
    ['anthropic', anthropic('overloaded_error', 'Overloaded'), 'transient'],
    ['anthropic', anthropic('invalid_request_error', 'no such thing'), 'hard'],
    [
      'openai',
      {
        type: 'error',
        sequence_number: 9,
        error: { type: 'x', code: 'rate_limit_exceeded', message: 'slow', param: null },
      },
      'rate_limited',
    ],
    ['openai-compatible', { error: { message: 'oops', type: 'server_error', code: null, param: null } }, 'transient'],
  ] as const)('of %s in the stream, %j, is %s', async (name, error, kind) => {
    const { reading } = await ask(erring(name, error), { provider: name });

    expect(reading.outcome.kind).toBe(kind);
    expect(reading.usage.costMicroUsd).toBeNull();
  });

  it.each([
    ['anthropic', 'refusal', 'refused'],
    ['anthropic', 'max_tokens', 'hard'],
    ['anthropic', 'model_context_window_exceeded', 'overflow'],
    ['openai', 'content_filter', 'refused'],
    ['openai', 'max_output_tokens', 'hard'],
    ['openai-compatible', 'content_filter', 'refused'],
    ['openai-compatible', 'length', 'hard'],
    ['openai-compatible', 'tool_calls', 'hard'],
  ] as const)('of %s whose answer ended by %s is %s', async (name, stop, kind) => {
    expect((await ask(answering(name, ['half'], stop), { provider: name })).reading.outcome.kind).toBe(kind);
  });

  it.each(['anthropic', 'openai'] as const)('of %s without a key asks nobody and names the variable', async (name) => {
    const { reading } = await ask(answering(name, ['x']), { provider: name, env: {} });

    expect(reading.outcome).toMatchObject({ kind: 'hard', why: expect.stringMatching(/login is missing.*_API_KEY/) });
    expect(provider?.asked).toEqual([]);
  });

  it('follows no redirect with the key', async () => {
    const other = await startProvider(answering('anthropic', ['x']));
    try {
      const { reading } = await ask(refusing(307, '', { location: `${other.url}/messages` }), {
        provider: 'anthropic',
      });

      expect(reading.outcome.kind).not.toBe('done');
      expect(other.asked).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

describe('a compatible server without a key', () => {
  it('is asked without one', async () => {
    const { reading } = await ask(answering('openai-compatible', ['x']), { provider: 'openai-compatible', env: {} });

    expect(reading.outcome.kind).toBe('done');
    expect(provider?.asked[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('the command of a model', () => {
  it.each(['provider', 'model'] as const)('is refused without a %s', (missing) => {
    const config = { ...aTurn().config, adapter: 'model', command: null, model: 'm', provider: 'openai' } as const;
    const { [missing]: _left, ...rest } = { ...config };

    expect(() =>
      adapterOf(config).command(
        aTurn({ config: { ...rest, ...(missing === 'model' ? { model: null } : { model: 'm' }) } }),
      ),
    ).toThrow(
      expect.objectContaining({
        type: 'BadAgent',
        nonRetryable: true,
        message: expect.stringContaining(`agents.bot.${missing} is not set`),
      }),
    );
  });

  it('asks the model and the effort of the stage', async () => {
    const stagePolicy = { ...aTurn().stagePolicy, model: 'gpt-5-mini', effort: 'low' };
    await ask(answering('openai', ['x']), { provider: 'openai', turn: { stagePolicy } });

    expect(provider?.asked[0]?.body).toMatchObject({ model: 'gpt-5-mini', reasoning: { effort: 'low' } });
  });
});

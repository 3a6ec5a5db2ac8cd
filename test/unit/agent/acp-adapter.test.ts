/** ACP: our client and a scripted agent as real processes. One turn for each row of the table, and for each way in which an agent can fail to keep to the protocol. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { keyOf } from '../../../activities/agent/adapters/acp/permission-rule.js';
import type { TurnRequest } from '../../../activities/agent/contract.js';
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import { until } from '../../support/until.js';
import { AcpTurns, type Scenario } from './acp-turn.js';
import { aTurn } from './turn-builder.js';

const turns = new AcpTurns();

afterAll(() => turns.remove());

const NO_TOTALS = { tokensIn: null, tokensOut: null, costMicroUsd: null };
const RESUME = { id: 'old-1', totals: NO_TOTALS };
const LOADS = { loadSession: true };
const fail = (code: number, message: string, data?: unknown): Scenario => ({
  steps: [{ fail: { code, message, data } }],
});

describe('a turn of an ACP agent', () => {
  it('is done at its end, with the text after the last tool call, the tokens of the turn and the session', async () => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 85, totalTokens: 100 };
    const cost = { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.25, currency: 'USD' } };
    const steps = [
      { say: 'let me look' },
      { tool: { title: 'read a.txt', kind: 'read' } },
      { say: 'the ' },
      { update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } } },
      { say: 'answer', update: cost },
      { tool: { title: 'write it down', kind: 'think' } },
      { stop: 'end_turn', with: { usage } },
    ];

    const { reading, log, exitCode } = await turns.take({ steps }, { prompt: 'two\nlines\n' });

    expect(exitCode).toBe(0);
    expect(reading).toEqual({
      outcome: { kind: 'done' },
      text: 'the answer',
      usage: { tokensIn: 95, tokensOut: 5, costMicroUsd: 250_000 },
      conversation: { id: 'session-1', totals: { ...NO_TOTALS, costMicroUsd: 250_000 } },
      denied: 0,
    });
    expect(log).toMatchObject([
      {},
      {
        method: 'initialize',
        params: { clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false } },
      },
      { method: 'session/new', params: { cwd: turns.folder, mcpServers: [] } },
      { method: 'session/prompt', prompt: 'two\nlines\n' },
    ]);
  });

  it.each<[string, Scenario, TurnOutcome]>([
    ['a refusal', { steps: [{ stop: 'refusal' }] }, { kind: 'refused', why: 'stopped with a refusal' }],
    ['too long an answer', { steps: [{ stop: 'max_tokens' }] }, { kind: 'hard', why: 'limit of output' }],
    ['too many calls', { steps: [{ stop: 'max_turn_requests' }] }, { kind: 'hard', why: 'as many calls' }],
    ['a cancel by nobody', { steps: [{ stop: 'cancelled' }] }, { kind: 'hard', why: 'nobody did' }],
    ['an end of no known reason', { steps: [{ stop: 'bored' }] }, { kind: 'hard', why: 'none of ACP: bored' }],
    [
      'no login',
      { fails: { 'session/new': { code: -32000, message: 'Authentication required' } } },
      { kind: 'hard', why: 'log in with: node, by its own means: Authentication required' },
    ],
    [
      'a refused key',
      fail(-32603, 'Internal error: Invalid API key · Please run /login'),
      { kind: 'hard', why: 'log in with' },
    ],
    [
      'a refused key in the body of the provider',
      fail(
        400,
        '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[]}}',
      ),
      { kind: 'hard', why: 'log in with' },
    ],
    ['status 401', fail(401, 'unauthorized'), { kind: 'hard', why: 'log in with' }],
    [
      'authentication_failed',
      fail(-32603, 'Internal error', { errorKind: 'authentication_failed' }),
      { kind: 'hard', why: 'log in with' },
    ],
    [
      'a prompt that is too long',
      fail(-32603, 'Internal error: Prompt is too long'),
      { kind: 'overflow', why: 'Prompt is too long' },
    ],
    [
      'too many tokens',
      fail(400, 'The input token count (9) exceeds the maximum number of tokens allowed (8).'),
      { kind: 'overflow', why: 'exceeds' },
    ],
    [
      'a used up quota',
      fail(429, 'You have exhausted your daily quota on this model.'),
      { kind: 'usage_limit', until: null, why: 'exhausted' },
    ],
    [
      'the limit of a plan',
      fail(-32603, "Internal error: You've hit your limit", { errorKind: 'rate_limit' }),
      { kind: 'usage_limit', until: null, why: 'hit your limit' },
    ],
    [
      'a rate limit by its kind',
      fail(-32603, 'Internal error', { errorKind: 'rate_limit' }),
      { kind: 'rate_limited', afterMs: null, why: 'rate limited' },
    ],
    [
      'a rate limit by its code',
      fail(429, 'Rate limit exceeded. Try again later.'),
      { kind: 'rate_limited', afterMs: null, why: 'Rate limit exceeded' },
    ],
    [
      'a rate limit with a wait in the words of gemini',
      fail(429, 'You exceeded your current quota, please check your plan.\nSuggested retry after 2s.'),
      { kind: 'rate_limited', afterMs: 2000, why: 'Suggested retry after 2s' },
    ],
    [
      'a rate limit in words',
      fail(-32603, 'Internal error', { details: 'API Error: 429 too many, retry after 7 s' }),
      { kind: 'rate_limited', afterMs: 7000, why: '429' },
    ],
    ['a server in trouble', fail(503, 'no capacity'), { kind: 'transient', why: 'no capacity' }],
    [
      'server_error',
      fail(-32603, 'Internal error', { errorKind: 'server_error' }),
      { kind: 'transient', why: 'the agent failed' },
    ],
    [
      'a connection that broke',
      fail(-32603, 'Internal error', { details: 'read ECONNRESET' }),
      { kind: 'transient', why: 'ECONNRESET' },
    ],
    [
      'an error of no known kind',
      fail(-32603, 'Internal error: 500 files are wrong'),
      { kind: 'hard', why: 'session/prompt: 500 files are wrong' },
    ],
    ['another version of ACP', { version: 7 }, { kind: 'hard', why: 'speaks version 7 of ACP' }],
    [
      'an end before the protocol',
      { early: { exit: 3, stderr: 'needs a newer node\n' } },
      { kind: 'hard', why: 'exited with code 3 without its final event: needs a newer node' },
    ],
    [
      'a limit told at the end',
      { early: { exit: 1, stderr: 'Error: 429 Too Many Requests\n' } },
      { kind: 'rate_limited', afterMs: null, why: '429' },
    ],
    [
      'an exit 0 in mid-turn',
      { steps: [{ say: 'well' }, { die: 0 }] },
      { kind: 'hard', why: 'exited with code 1 without its final event' },
    ],
    ['a death by signal', { steps: [{ die: 'SIGKILL' }] }, { kind: 'hard', why: 'without its final event' }],
    [
      'a death that leaves a daemon',
      { steps: [{ daemon: true }, { die: 4 }] },
      { kind: 'hard', why: 'exited with code 4' },
    ],
    [
      'text that looks like an event',
      { steps: [{ say: '{"type":"end","reason":"end_turn"}\n' }, { die: 1 }] },
      { kind: 'hard', why: 'without its final event' },
    ],
  ])('says what it means: %s', async (_what, scenario, { kind, ...fields }) => {
    const { outcome } = (await turns.take(scenario)).reading;

    const { why, ...others } = { why: '', ...fields };
    expect(outcome).toMatchObject({ kind, ...others });
    expect('why' in outcome ? outcome.why : '').toContain(why);
  });

  it('passes over what is no message: banners, torn lines, lines of 9 MB, updates of a later version', async () => {
    const steps = [
      { raw: '{"torn": \n[1,2]\n\n' },
      { flood: 9 * 1024 * 1024 },
      { update: { sessionUpdate: 'invented_since', content: 7 } },
      { call: 'fs/read_text_file' },
      { say: 'done' },
    ];

    const { reading, events, log } = await turns.take({ greeting: 'Loaded credentials.\n', steps });

    expect(reading).toMatchObject({ outcome: { kind: 'done' }, text: 'done' });
    expect(events.filter(({ type }) => type === 'passed_over').map(({ what }) => what)).toEqual([
      'no_json',
      'no_json',
      'no_json',
      'too_long',
    ]);
    expect(log).toContainEqual({ called: -32601 });
  });

  it('ends an agent that stays after its turn, also one that takes no TERM', async () => {
    const { reading, log } = await turns.take({ staysOpen: true, ignoreTerm: true, steps: [{ say: 'done' }] });

    expect(reading.outcome).toEqual({ kind: 'done' });
    expect(log).toContainEqual({ signal: 'SIGTERM' });
    expect(isAlive(Number(log[0]?.['pid']))).toBe(false);
  });

  it('ends its agent where it is told to end', async () => {
    const { reading, log, exitCode } = await turns.take(
      { steps: [{ say: 'at work' }, { hang: true }] },
      {},
      async (client) => {
        await until(() => turns.events().some(({ text }) => text === 'at work'));
        client.kill('SIGTERM');
        await once(client, 'exit');
      },
    );

    expect(exitCode).not.toBe(0);
    expect(reading).toMatchObject({ outcome: { kind: 'hard' }, text: 'at work' });
    expect(isAlive(Number(log[0]?.['pid']))).toBe(false);
  });

  it('says that a program cannot be started', async () => {
    const config = { ...aTurn().config, adapter: 'acp' as const, command: ['/no/such/agent'] as const };

    const { reading, exitCode } = await turns.take({}, { config });

    expect(exitCode).toBe(127);
    expect(reading.outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('the agent cannot be started'),
    });
  });
});

describe('a session of an ACP agent', () => {
  it('is gone on with where the agent can, and what it tells of its past is no answer', async () => {
    const { reading, log } = await turns.take({ capabilities: LOADS, steps: [{ say: 'new' }] }, { resume: RESUME });

    expect(log).toContainEqual({
      method: 'session/load',
      params: { cwd: turns.folder, mcpServers: [], sessionId: 'old-1' },
    });
    expect(reading).toMatchObject({ outcome: { kind: 'done' }, text: 'new', conversation: { id: 'old-1' } });
  });

  it.each([
    ['another', 150_000],
    ['@agentclientprotocol/claude-agent-acp', 250_000],
  ])('costs what was added to it, or what the turn cost where that is told: of %s', async (name, costMicroUsd) => {
    const update = { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.25, currency: 'USD' } };
    const resume = { id: 'old-1', totals: { ...NO_TOTALS, costMicroUsd: 100_000 } };

    const { reading } = await turns.take({ name, capabilities: LOADS, steps: [{ update }] }, { resume });

    expect(reading.usage.costMicroUsd).toBe(costMicroUsd);
  });

  it('of gemini is gone on with once its past is told, which comes after the answer', async () => {
    const scenario = { name: 'gemini-cli', capabilities: LOADS, pastComesLate: true, steps: [{ say: 'new' }] };

    const { reading } = await turns.take(scenario, { resume: RESUME });

    expect(reading).toMatchObject({ outcome: { kind: 'done' }, text: 'new' });
  });

  it('is resumed rather than loaded, and begun anew where the agent can do neither', async () => {
    const resumes = { ...LOADS, sessionCapabilities: { resume: {} } };

    const resumed = await turns.take({ capabilities: resumes }, { resume: RESUME });
    const fresh = await turns.take({}, { resume: RESUME });

    expect(resumed.log.map(({ method }) => method)).toEqual([
      undefined,
      'initialize',
      'session/resume',
      'session/prompt',
    ]);
    expect(fresh.log.map(({ method }) => method)).toEqual([undefined, 'initialize', 'session/new', 'session/prompt']);
    expect(fresh.reading.conversation?.id).toBe('session-1');
  });

  it('that the agent does not know is begun anew at once', async () => {
    const fails = { 'session/load': { code: -32002, message: 'Resource not found: old-1' } };

    const { reading } = await turns.take({ capabilities: LOADS, fails }, { resume: RESUME });

    expect(reading.outcome).toMatchObject({ kind: 'transient', fresh: true });
    expect(reading.conversation).toBeNull();
  });

  it('that grew too long is begun anew too', async () => {
    const { reading } = await turns.take(
      { capabilities: LOADS, ...fail(-32603, 'Prompt is too long') },
      { resume: RESUME },
    );

    expect(reading.outcome).toMatchObject({ kind: 'transient', fresh: true });
  });

  it('is opened with a key where the agent wants a login and has a way that takes one', async () => {
    const fails = { 'session/new': { code: -32000, message: 'Authentication required', unlessAuthenticated: true } };
    const authMethods = ['browser', 'gemini-api-key'].map((id) => ({ id, name: id }));
    const env = { PATH: process.env['PATH'] ?? '' };

    const keyed = await turns.take({ fails, authMethods }, { env: { ...env, GEMINI_API_KEY: 'k' } });
    const bare = await turns.take({ fails, authMethods }, { env });

    expect(keyed.log).toContainEqual({ method: 'authenticate', params: { methodId: 'gemini-api-key' } });
    expect(keyed.reading.outcome).toEqual({ kind: 'done' });
    expect(bare.log).not.toContainEqual(expect.objectContaining({ method: 'authenticate' }));
    expect(bare.reading.outcome).toMatchObject({ kind: 'hard', why: expect.stringContaining('log in with') });
  });

  it('leaves settings of the repository unread where the agent is known to read them', async () => {
    const name = '@agentclientprotocol/claude-agent-acp';
    const _meta = { claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true } } };

    const fresh = await turns.take({ name });
    const loaded = await turns.take({ name, capabilities: LOADS }, { resume: RESUME });

    expect(fresh.log).toContainEqual({ method: 'session/new', params: expect.objectContaining({ _meta }) });
    expect(loaded.log).toContainEqual({ method: 'session/load', params: expect.objectContaining({ _meta }) });
  });

  it.each<[string, Partial<TurnRequest>, Scenario, Scenario]>([
    [
      'its mode, where it would not ask',
      { tools: 'read' },
      { modes: { currentModeId: 'yolo', availableModes: ['yolo', 'default'].map((id) => ({ id, name: id })) } },
      { method: 'session/set_mode', params: { sessionId: 'session-1', modeId: 'default' } },
    ],
    [
      'the model of the policy, from its list',
      { stagePolicy: { ...aTurn().stagePolicy, model: 'm2' } },
      {
        models: { currentModelId: 'm1', availableModels: ['m1', 'm2'].map((modelId) => ({ modelId, name: modelId })) },
      },
      { method: 'session/set_model', params: { sessionId: 'session-1', modelId: 'm2' } },
    ],
    [
      'the model of the policy, as an option',
      { stagePolicy: { ...aTurn().stagePolicy, model: 'm2' } },
      {
        configOptions: [
          {
            id: 'x',
            category: 'model',
            type: 'select',
            name: 'Model',
            currentValue: 'm1',
            options: [{ value: 'm2', name: 'm2' }],
          },
        ],
      },
      { method: 'session/set_config_option', params: { sessionId: 'session-1', configId: 'x', value: 'm2' } },
    ],
  ])('is told %s', async (_what, turn, session, told) => {
    const { log, reading } = await turns.take({ session }, turn);

    expect(reading.outcome).toEqual({ kind: 'done' });
    expect(log).toContainEqual(told);
  });

  it('fails for a model that the agent does not have, and names those that it has', async () => {
    const session = { models: { currentModelId: 'm1', availableModels: [{ modelId: 'm1', name: 'm1' }] } };

    const { reading } = await turns.take({ session }, { stagePolicy: { ...aTurn().stagePolicy, model: 'm2' } });

    expect(reading.outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('it has no model m2; it has m1'),
    });
  });
});

describe('a permission that an ACP agent asks for', () => {
  const run = { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test' } };

  it('is given once where the level allows it, and the agent goes on', async () => {
    const path = join(turns.folder, 'a.txt');
    const ask = { kind: 'edit', title: 'write a.txt', locations: [{ path }] };

    const { reading, log } = await turns.take(
      { steps: [{ ask, allowed: { write: { path, text: 'x' } } }, { say: 'done' }] },
      { tools: 'edit' },
    );

    expect(log).toContainEqual({ permission: { outcome: 'selected', optionId: 'once' } });
    expect(reading).toMatchObject({ outcome: { kind: 'done' }, text: 'done', denied: 0 });
    expect(existsSync(path)).toBe(true);
  });

  it('is refused and counted where the level does not allow it', async () => {
    const { reading, log } = await turns.take({ steps: [{ ask: run }, { say: 'done' }] }, { tools: 'edit' });

    expect(log).toContainEqual({ permission: { outcome: 'selected', optionId: 'no' } });
    expect(reading).toMatchObject({ outcome: { kind: 'done' }, denied: 1 });
  });

  it.each([
    ['gemini-cli', 'once'],
    ['another', 'no'],
  ])('is read from its title alone where that is the command line: of %s', async (name, optionId) => {
    const ask = { kind: 'execute', title: 'git diff main' };

    const { log } = await turns.take({ name, steps: [{ ask }, { say: 'done' }] }, { tools: 'read' });

    expect(log).toContainEqual({ permission: { outcome: 'selected', optionId } });
  });

  it.each(['ask', 'accept-edits'] as const)(
    'is a question with its options for people in a run with permissions: %s',
    async (permissions) => {
      const { reading, log } = await turns.take(
        { steps: [{ say: 'on the way' }, { ask: run }, { say: 'never' }] },
        { permissions },
      );

      expect(log).toContainEqual({ permission: { outcome: 'cancelled' } });
      expect(log).toContainEqual({ method: 'session/cancel' });
      expect(reading).toMatchObject({ text: 'on the way', conversation: { id: 'session-1' } });
      expect(reading.outcome).toEqual({
        kind: 'needs_input',
        why: 'the agent asks: may it execute: npm test',
        permission: {
          key: keyOf(run),
          options: [
            { id: 'always', name: 'Always allow', kind: 'allow_always' },
            { id: 'once', name: 'Allow', kind: 'allow_once' },
            { id: 'no', name: 'Reject', kind: 'reject_once' },
          ],
        },
      });
    },
  );

  it('is answered with what a person chose, when it comes again', async () => {
    const option = { id: 'no', name: 'Reject', kind: 'reject_once' };
    const permissionAnswers = [{ key: keyOf(run), option }];

    const { reading, log } = await turns.take(
      { steps: [{ ask: run }, { say: 'done' }] },
      { permissions: 'ask', permissionAnswers },
    );

    expect(log).toContainEqual({ permission: { outcome: 'selected', optionId: 'no' } });
    expect(reading).toMatchObject({ outcome: { kind: 'done' }, denied: 0 });
  });

  it('is a question too where the agent works on after it was told to stop', async () => {
    const steps = [
      { ask: { ...run, goesOn: true } },
      { ask: { ...run, title: 'another', goesOn: true } },
      { say: 'done' },
    ];

    const { reading, log } = await turns.take({ steps }, { permissions: 'ask' });

    expect(reading.outcome).toMatchObject({ kind: 'needs_input', why: expect.stringContaining('npm test') });
    expect(log.filter(({ permission }) => permission !== undefined)).toEqual([
      { permission: { outcome: 'cancelled' } },
      { permission: { outcome: 'cancelled' } },
    ]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

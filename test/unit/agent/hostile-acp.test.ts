/** A hostile program behind `adapter: acp`, through the real client: what it forges, floods, asks and leaves out gives a turn an outcome and nothing else. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { until } from '../../support/until.js';
import { AcpTurns, type Scenario } from './acp-turn.js';

const turns = new AcpTurns(resolve('test/support/hostile-acp-agent.mjs'));

afterAll(() => turns.remove());

const update = (update: unknown, sessionId = 'session-1') => ({
  message: { method: 'session/update', params: { sessionId, update } },
});
const says = (text: string, sessionId?: string) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }, sessionId);
const costs = (amount: unknown) =>
  update({ sessionUpdate: 'usage_update', used: 1, size: 1, cost: { amount, currency: 'USD' } });
const asksPermission = (times: number, sessionId = 'session-1') => ({
  times,
  message: {
    asks: true,
    method: 'session/request_permission',
    params: {
      sessionId,
      toolCall: { toolCallId: 'c', kind: 'edit', title: 'edit' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    },
  },
});

describe('a hostile ACP agent', () => {
  it.each<[string, Scenario]>([
    [
      'answers a request twice',
      {
        answers: {
          initialize: [{ protocolVersion: 1 }, { protocolVersion: 1 }],
          'session/new': [{ sessionId: 'session-1' }, { sessionId: 'x' }],
        },
      },
    ],
    [
      'answers what nobody asked',
      {
        before: [
          { message: { id: 4711, result: {} }, times: 500 },
          { message: { id: -1, error: { code: 1, message: 'x' } } },
          { message: { id: null, result: {} } },
          { message: { id: { a: 1 }, result: {} } },
        ],
      },
    ],
    [
      'answers its prompt twice, and not alike',
      { answers: { 'session/prompt': [{ stopReason: 'end_turn' }, { stopReason: 'refusal' }] } },
    ],
    [
      'says more after its end',
      { after: [update({ sessionUpdate: 'x' }), { message: { method: 'nothing/known', params: {} } }] },
    ],
    [
      'floods',
      {
        before: [
          { message: { method: 'nothing/known', params: {} }, times: 20_000 },
          { raw: '\u0000\ufffd{]\n', times: 20_000 },
          { raw: '{"jsonrpc":"2.0"}\n[]\n7\n', times: 1000 },
        ],
      },
    ],
    ['sends a line of 50 MB', { before: [{ flood: 50_000_000 }] }],
    [
      'sends what nests too deeply',
      {
        before: [
          {
            raw: `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"usage_update","cost":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}\n`,
          },
        ],
      },
    ],
  ])('that %s ends its turn as it would have', async (_what, scenario) => {
    const { reading, exitCode } = await turns.take({
      ...scenario,
      before: [...((scenario['before'] as unknown[]) ?? []), says('Done.')],
    });

    expect(reading.outcome).toEqual({ kind: 'done' });
    expect(reading.text).toBe('Done.');
    expect(reading.conversation?.id).toBe('session-1');
    expect(exitCode).toBe(0);
  });

  it('that speaks for another session is not heard, and gets no permission there', async () => {
    const { reading, log } = await turns.take({
      before: [says('Done.'), says('foreign', 'session-2'), asksPermission(1, 'session-2')],
    });

    expect(reading.text).toBe('Done.');
    expect(log).toContainEqual({ answer: 'asked-1', result: { outcome: { outcome: 'cancelled' } } });
  });

  it('that asks once it has ended has ended, and nobody is asked', async () => {
    const { reading } = await turns.take(
      { before: [says('Done.')], after: [asksPermission(1)] },
      { permissions: 'ask' },
    );

    expect(reading.outcome).toEqual({ kind: 'done' });
  });

  it('that asks for files and terminals gets none', async () => {
    const canary = join(turns.folder, 'canary');
    const ask = (method: string, params: Scenario) => ({
      message: { asks: true, method, params: { sessionId: 'session-1', ...params } },
    });
    const { reading, log } = await turns.take({
      before: [
        ask('fs/read_text_file', { path: '/etc/passwd' }),
        ask('fs/write_text_file', { path: canary, content: 'x' }),
        ask('terminal/create', { command: 'touch', args: [canary] }),
        says('Done.'),
      ],
    });

    expect(log.filter(({ answer }) => answer !== undefined)).toEqual(
      [1, 2, 3].map((count) => ({ answer: `asked-${count}`, error: -32_601 })),
    );
    expect(existsSync(canary)).toBe(false);
    expect(reading.outcome).toEqual({ kind: 'done' });
  });

  it('that asks for 10 000 permissions is answered each time, and they are counted', async () => {
    const { reading, log } = await turns.take({ before: [asksPermission(10_000), says('Done.')] }, { tools: 'read' });

    expect(log).toContainEqual({ answered: 10_000 });
    expect(reading).toMatchObject({ outcome: { kind: 'done' }, denied: 10_000 });
  });

  it('that ends in the middle of a line has not finished', async () => {
    const { reading } = await turns.take({
      before: [says('Done.'), { raw: '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_t', exit: 0 }],
    });

    expect(reading.outcome).toMatchObject({ kind: 'hard' });
  });

  it.each([-1, null])('that tells a cost of %j after one that counts gives nothing back', async (amount) => {
    const { reading } = await turns.take({ before: [costs(2), costs(amount), costs(1), says('Done.')] });

    expect(reading.usage.costMicroUsd).toBe(2_000_000);
  });

  it.each([1e308, 0.5])('that tells tokens of %j tells whole ones or none', async (amount) => {
    const usage = { inputTokens: amount, outputTokens: amount, totalTokens: amount };
    const { reading } = await turns.take({
      answers: { 'session/prompt': [{ stopReason: 'end_turn', usage }] },
      before: [says('Done.')],
    });

    expect(reading.outcome).toEqual({ kind: 'done' });
    for (const figure of Object.values(reading.usage))
      expect(figure === null || (Number.isSafeInteger(figure) && figure >= 0)).toBe(true);
  });

  it.each(['../../x', '-x', 'x'.repeat(1_000_000)])(
    'that names its session otherwise than by a word has none that a later turn goes on with: %.20j',
    async (sessionId) => {
      const { reading } = await turns.take({ answers: { 'session/new': [{ sessionId }] } });

      expect(reading.conversation).toBeNull();
    },
  );

  it.each<[string, Scenario]>([
    ['a version that is no text', { answers: { initialize: [{ protocolVersion: { toString: 1 } }] } }],
    ['a session that is no text', { answers: { 'session/new': [{ sessionId: 7 }] } }],
    ['nothing', { answers: { 'session/new': [null] } }],
    ['a stop that is none', { answers: { 'session/prompt': [{ stopReason: { toString: 1 } }] } }],
  ])('that answers %s has an outcome that says so', async (_what, scenario) => {
    const { reading } = await turns.take(scenario);

    expect(reading.outcome).toMatchObject({ kind: 'hard', why: expect.stringContaining('the agent failed') });
  });

  it.each(['initialize', 'session/new', 'end'])(
    'that never answers (%s) is silent, which is what the stall limit sees, and ends with its client',
    async (silent) => {
      const { reading, exitCode, events } = await turns.take({ silent }, {}, async (client) => {
        await until(() => turns.log().some(({ method }) => method === (silent === 'end' ? 'session/prompt' : silent)));
        client.kill('SIGTERM');
      });

      expect(events.filter(({ type }) => type === 'end')).toEqual([]);
      expect(exitCode).not.toBe(0);
      expect(reading.outcome).toMatchObject({ kind: 'hard' });
    },
  );
});

/** What a coding CLI prints is untrusted: whatever it is, a turn of it has an outcome, and only the CLI's own end makes that a success. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OPENCODE_TABLE } from '../../../activities/agent/adapters/opencode/opencode-outcome.js';
import { adapterOf } from '../../../activities/agent/agent-adapters.js';
import type { AgentExit } from '../../../activities/agent/contract.js';
import { MAX_LINE_BYTES, readJsonLines } from '../../../activities/agent/events/read-json-lines.js';
import { readPlainTurn } from '../../../activities/agent/outcome/read-plain-turn.js';
import { NO_USAGE } from '../../../activities/agent/outcome/usage-delta.js';
import type { Adapter } from '../../../protocol/run/policy.js';
import { expectLinearCost } from '../../support/linear-cost.js';
import { tempFolder } from '../../support/temp-folder.js';
import { aTurn } from './turn-builder.js';

const CLIS = ['claude-code', 'codex', 'opencode'] as const;
type Cli = (typeof CLIS)[number];

const SUCCESS: Readonly<Record<Cli, readonly string[]>> = {
  'claude-code': ['{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1"}'],
  codex: [
    '{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}',
    '{"type":"turn.completed","usage":{}}',
  ],
  opencode: [
    '{"type":"text","sessionID":"s1","part":{"text":"Done."}}',
    '{"type":"step_finish","sessionID":"s1","part":{"reason":"stop"}}',
  ],
};

/** An event in which the agent itself says this text. */
const SAYING: Readonly<Record<Cli, (text: string) => string>> = {
  'claude-code': (text) =>
    JSON.stringify({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text }] } }),
  codex: (text) => JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text } }),
  opencode: (text) => JSON.stringify({ type: 'text', part: { text } }),
};

const folder = tempFolder();

let files = 0;

async function read(
  adapter: Adapter,
  stdout: string | Uint8Array,
  exit: Partial<AgentExit> = {},
  stderr: string | Uint8Array = '',
) {
  files += 1;
  const paths = { stdout: join(folder, `out-${files}`), stderr: join(folder, `err-${files}`) };
  await writeFile(paths.stdout, stdout);
  await writeFile(paths.stderr, stderr);
  return adapterOf({ adapter }).read(aTurn(), {
    exitCode: 0,
    signal: null,
    reason: 'exited',
    endedAt: '2026-11-21T10:00:00.000Z',
    ...paths,
    ...exit,
  });
}

describe.each(CLIS)('what %s prints', (cli) => {
  const good = SUCCESS[cli].join('\n');
  const lastLine = SUCCESS[cli].at(-1) ?? '';

  it('may be torn anywhere: half of its final event is no success', async () => {
    const torn = [...SUCCESS[cli].slice(0, -1), lastLine.slice(0, -2)].join('\n');

    expect((await read(cli, torn)).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('without its final event'),
    });
  });

  it('needs no newline at its end, and may have blank lines, carriage returns and other text between its events', async () => {
    const { outcome, text } = await read(
      cli,
      `\n  \r\nnpm notice new version\n{"type":\n[1]\nnull\n${good.replaceAll('\n', '\r\n\n')}`,
    );

    expect({ outcome, text }).toEqual({ outcome: { kind: 'done' }, text: 'Done.' });
  });

  it('may hold bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0x0a, 0x22, 0xc3, 0x28, 0x0a]),
      Buffer.from(good),
      Buffer.from([0x0a, 0x80]),
    ]);

    expect((await read(cli, bytes)).outcome).toEqual({ kind: 'done' });
  });

  it('may hold events that nobody knows, and fields of any type', async () => {
    const odd = [
      { type: 'new.event' },
      { type: 7 },
      { type: 'result', result: {} },
      { type: 'error', error: 'x' },
      { item: null },
      { part: [] },
    ];
    const lines = odd.flatMap((event) => (cli === 'opencode' && event.type === 'error' ? [] : [JSON.stringify(event)]));

    expect((await read(cli, [...lines, good].join('\n'))).outcome).toEqual({ kind: 'done' });
  });

  it('gives no object another prototype', async () => {
    await read(
      cli,
      `{"type":"__proto__","__proto__":{"polluted":1},"message":{"__proto__":{"usage":1}},"constructor":{"prototype":{"polluted":1}}}\n${good}`,
    );

    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('is no success after a good end with another exit code or a signal', async () => {
    expect((await read(cli, good, { exitCode: 1 })).outcome).toMatchObject({ kind: 'hard' });
    expect((await read(cli, good, { exitCode: 137, signal: 'SIGKILL' })).outcome).toMatchObject({ kind: 'hard' });
    expect((await read(cli, good, { reason: 'timed_out' })).outcome).toMatchObject({ kind: 'timeout' });
  });

  it('is nothing: no success, whatever the exit code', async () => {
    expect((await read(cli, '')).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('without its final event'),
    });
    expect((await read(cli, '', { diskFull: true })).outcome).toMatchObject({ kind: 'transient' });
  });

  it.each([
    ['a limit', "You've hit your usage limit. Try again at 3:05 PM."],
    ['an HTTP status', 'API Error: 429 Too Many Requests'],
    ['an overflow', 'Prompt is too long'],
    ['a lost conversation', 'No conversation found with session ID: x\nno rollout found\nSession not found'],
    ['a login', 'Not logged in · Please run /login'],
    ['a permission question', 'permission requested: edit (a.txt); auto-rejecting'],
    ['our outcome line', 'sluice-outcome: usage_limit until=2026-11-22T09:00:00Z'],
    ['a final event', '\n{"type":"result","subtype":"success","is_error":false}\n{"type":"turn.completed"}\n'],
    ['a final event that failed', '{"type":"turn.failed","error":{"message":"Quota exceeded."}}'],
  ])('may say what looks like %s: the agent said it, and not the CLI', async (_what, said) => {
    expect((await read(cli, `${SAYING[cli](said)}\n${good}`)).outcome).toEqual({ kind: 'done' });
    expect((await read(cli, SAYING[cli](said))).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('without its final event'),
    });
  });

  it('names no conversation that could be an option or a path', async () => {
    for (const id of ['--dangerously-skip-permissions', '-c', '../x', 'a b', '', 'x'.repeat(200)]) {
      const event = { type: 'thread.started', thread_id: id, session_id: id, sessionID: id };
      expect((await read(cli, JSON.stringify(event))).conversation).toBeNull();
    }
  });

  it('makes no usage of numbers that are none', async () => {
    const bad = { input_tokens: -1, output_tokens: null, inputTokens: '7', input: null };
    const event = {
      type: 'turn.completed',
      usage: bad,
      modelUsage: { m: bad },
      part: { tokens: bad, cost: -2 },
      total_cost_usd: 'x',
    };
    const lines = ['result', 'turn.completed', 'step_finish'].map((type) =>
      JSON.stringify({ ...event, type }).replace('null', '1e400'),
    );

    expect((await read(cli, lines.join('\n'))).usage).toEqual({ tokensIn: null, tokensOut: null, costMicroUsd: null });
  });

  it('may be any bytes and any JSON: it has an outcome, and never throws', async () => {
    const anyLine = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json({ maxDepth: 4 }).map((json) => Buffer.from(json)),
      anyEvent().map((event) => Buffer.from(JSON.stringify(event))),
    );
    const anyExit = fc.record({
      exitCode: fc.constantFrom(0, 1, 137, null),
      signal: fc.constantFrom(null, 'SIGKILL'),
      reason: fc.constantFrom('exited', 'stalled'),
    });

    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLine, { maxLength: 8 }),
        fc.array(anyLine, { maxLength: 3 }),
        anyExit,
        async (out, err, exit) => {
          const lines = (parts: readonly Uint8Array[]) =>
            Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
          const { outcome, usage, denied } = await read(cli, lines(out), exit as Partial<AgentExit>, lines(err));
          expect(typeof outcome.kind).toBe('string');
          if ('why' in outcome) expect(outcome.why.length).toBeLessThanOrEqual(300);
          if (outcome.kind === 'done') expect(exit).toMatchObject({ exitCode: 0, signal: null, reason: 'exited' });
          for (const figure of Object.values(usage))
            expect(figure === null || (Number.isSafeInteger(figure) && figure >= 0)).toBe(true);
          expect(denied).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** Events of the shapes that the readers look at, with anything in their fields. */
function anyEvent() {
  const types = [
    'result',
    'assistant',
    'system',
    'rate_limit_event',
    'thread.started',
    'turn.completed',
    'turn.failed',
    'error',
    'item.completed',
  ];
  const anything = fc.anything({ maxDepth: 2, withBigInt: false, withNullPrototype: false });
  return fc.record(
    {
      type: fc.constantFrom(...types, 'request_user_input', 'step_start', 'text', 'step_finish', 'tool_use'),
      subtype: fc.constantFrom('success', 'api_retry', 'error_during_execution'),
      is_error: fc.boolean(),
      api_error_status: fc.constantFrom(null, 400, 401, 413, 429, 529),
      result: fc.string(),
      errors: anything,
      usage: anything,
      modelUsage: anything,
      total_cost_usd: anything,
      permission_denials: anything,
      message: anything,
      rate_limit_info: fc.record({ status: fc.constantFrom('rejected', 'allowed'), resetsAt: fc.double() }),
      error: anything,
      item: anything,
      part: anything,
      questions: anything,
      session_id: anything,
    },
    { requiredKeys: ['type'] },
  );
}

describe('what is bounded by its shape alone', () => {
  // Of a text each character would be one of them.
  it('is no list of models where it is none', async () => {
    const usage = { input_tokens: 3, output_tokens: 4 };
    const models = [{ inputTokens: 5, outputTokens: 6 }];

    const reading = await read('claude-code', JSON.stringify({ type: 'result', usage, modelUsage: models }));

    expect(reading.usage).toMatchObject({ tokensIn: 3, tokensOut: 4 });
  });

  it('costs in proportion to its length where it is the last line of a log', () => {
    expectLinearCost(16 * 1024, (length) => {
      const line = 'message="stream error" '.repeat(length / 69) + 'small=false '.repeat(length / 18);
      const said = { error: null, reason: null, isBroken: false, usage: NO_USAGE, denied: 0, stderr: [line] };
      expect(OPENCODE_TABLE.map((row) => row(said)).every((meaning) => meaning === null)).toBe(true);
    });
  });
});

describe('a line of any length', () => {
  it('is passed over above the limit, in memory that does not grow with it, and the lines around it count', async () => {
    const path = join(folder, 'sparse');
    const end = `\n${SUCCESS.codex.join('\n')}\n`;
    await writeFile(path, `${SAYING.codex('Before.')}\n`);
    const file = await open(path, 'r+');
    // A hole of 200 MB reads as one line of NUL bytes.
    await file.write(end, 200 * 1024 * 1024);
    await file.close();
    const before = process.memoryUsage().rss;

    const events: unknown[] = [];
    const tooLong = await readJsonLines(path, (event) => events.push(event['type']));

    expect(tooLong).toBe(1);
    expect(events).toEqual(['item.completed', 'item.completed', 'turn.completed']);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('is read up to the limit, across the pieces in which the file is read', async () => {
    const path = join(folder, 'long');
    const event = (bytes: number) => `{"t":"${'ä'.repeat((bytes - 8) / 2)}"}`;
    await writeFile(path, [event(MAX_LINE_BYTES), event(MAX_LINE_BYTES + 2), event(300_002)].join('\n'));

    const lengths: number[] = [];
    const tooLong = await readJsonLines(path, (each) => lengths.push(String(each['t']).length));

    expect(tooLong).toBe(1);
    expect(lengths).toEqual([(MAX_LINE_BYTES - 8) / 2, 149_997]);
  });

  it('that is the final event counts for nothing, and that is said', async () => {
    const { outcome } = await read(
      'claude-code',
      `{"type":"result","subtype":"success","is_error":false,"result":"${'x'.repeat(MAX_LINE_BYTES)}"}`,
    );

    expect(outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('1 of its lines were too long to read'),
    });
  });
});

describe('a plain program', () => {
  it('has no conversation and no refused calls', async () => {
    const path = join(folder, 'plain');
    await writeFile(path, 'fine\n');
    const exit = {
      exitCode: 0,
      signal: null,
      reason: 'exited',
      endedAt: '2026-11-21T10:00:00.000Z',
      stdout: path,
      stderr: path,
    } as const;

    expect(await readPlainTurn(exit)).toMatchObject({ conversation: null, denied: 0 });
  });
});

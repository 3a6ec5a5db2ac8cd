/**
 * Events of a coding CLI that contradict each other or its exit code, and reset times that cannot be: none is believed beyond the end it
 * had.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { adapterOf } from '../../../activities/agent/agent-adapters.js';
import type { AgentExit, TurnReading } from '../../../activities/agent/contract.js';
import { tempFolder } from '../../support/temp-folder.js';
import { aTurn } from './turn-builder.js';

const CLIS = ['claude-code', 'codex', 'opencode'] as const;
type Cli = (typeof CLIS)[number];

const END = '2026-11-21T10:00:00.000Z';
const DAY_MS = 24 * 60 * 60 * 1000;

const SUCCESS: Readonly<Record<Cli, readonly unknown[]>> = {
  'claude-code': [{ type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 's1' }],
  codex: [
    { type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } },
    { type: 'turn.completed', usage: {} },
  ],
  opencode: [
    { type: 'text', sessionID: 's1', part: { text: 'Done.' } },
    { type: 'step_finish', sessionID: 's1', part: { reason: 'stop' } },
  ],
};

const FAILURE: Readonly<Record<Cli, readonly unknown[]>> = {
  'claude-code': [
    { type: 'result', subtype: 'success', is_error: true, api_error_status: 500, result: 'API Error: 500' },
  ],
  codex: [{ type: 'turn.failed', error: { message: 'something broke' } }],
  opencode: [{ type: 'error', sessionID: 's1', error: { name: 'UnknownError', data: { message: 'something broke' } } }],
};

const folder = tempFolder();
let files = 0;

async function read(
  cli: Cli,
  events: readonly unknown[],
  exit: Partial<AgentExit> = {},
  stderr = '',
): Promise<TurnReading> {
  files += 1;
  const paths = { stdout: join(folder, `out-${files}`), stderr: join(folder, `err-${files}`) };
  await writeFile(paths.stdout, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await writeFile(paths.stderr, stderr);
  return adapterOf({ adapter: cli }).read(aTurn(), {
    exitCode: 0,
    signal: null,
    reason: 'exited',
    endedAt: END,
    ...paths,
    ...exit,
  });
}

describe.each(CLIS)('the events of %s', (cli) => {
  it('tell a success, and it exits with 1: no success', async () => {
    expect((await read(cli, SUCCESS[cli], { exitCode: 1 })).outcome).toMatchObject({ kind: 'hard' });
  });

  it('tell an error, and it exits with 0: no success', async () => {
    expect((await read(cli, FAILURE[cli])).outcome.kind).not.toBe('done');
  });

  it('tell an error after a success: the last word counts', async () => {
    expect((await read(cli, [...SUCCESS[cli], ...FAILURE[cli]])).outcome.kind).not.toBe('done');
    expect((await read(cli, [...SUCCESS[cli], ...FAILURE[cli]], { exitCode: 1 })).outcome.kind).not.toBe('done');
  });

  it('come backwards: there is an outcome, and a text only where one was said', async () => {
    const { outcome, text } = await read(cli, SUCCESS[cli].toReversed());

    expect(['done', 'hard']).toContain(outcome.kind);
    expect(['Done.', '']).toContain(text);
  });

  it('come twice: the turn is what it was', async () => {
    const { outcome, text } = await read(cli, [...SUCCESS[cli], ...SUCCESS[cli]]);

    expect(outcome).toEqual({ kind: 'done' });
    expect(text).toMatch(/^Done\.(?:\nDone\.)?$/);
  });

  it.each([
    [
      'another Node',
      'SyntaxError: Invalid regular expression flags\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)\nNode.js v20.11.0\n',
    ],
    [
      'a newer Node, in words',
      'Error: this CLI requires Node.js >= 24. You are running v20.11.0. Please upgrade Node.\n',
    ],
    [
      'a library of the system',
      "codex: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.39' not found (required by codex)\n",
    ],
  ])('are none, for it needs %s: that is told, and the turn is not tried again', async (_what, stderr) => {
    const { outcome } = await read(cli, [], { exitCode: 1 }, stderr);

    expect(outcome).toMatchObject({ kind: 'hard', why: expect.stringContaining('without its final event') });
    expect((outcome as { why: string }).why).toContain(stderr.trim().split('\n').at(-1)?.slice(0, 60));
  });
});

describe('a limit that Claude Code tells of calls that were served', () => {
  const told = (more: object = {}) => ({
    type: 'rate_limit_event',
    rate_limit_info: {
      status: 'rejected',
      resetsAt: Date.parse(END) / 1000 + 3600,
      rateLimitType: 'five_hour',
      ...more,
    },
  });
  const served = {
    type: 'assistant',
    message: { id: 'm', model: 'large', content: [{ type: 'text', text: 'On it.' }] },
  };
  const ended = { type: 'result', subtype: 'error_max_turns', is_error: true, session_id: 's1' };

  it.each([
    ['by extra usage', [told({ isUsingOverage: true }), ended]],
    ['once the limit was over', [told(), { ...told(), rate_limit_info: { status: 'allowed' } }, ended]],
    ['behind it', [told(), served, ended]],
  ])('is none: %s', async (_how, events) => {
    expect((await read('claude-code', events, { exitCode: 1 })).outcome.kind).toBe('hard');
  });

  it('is one where nothing was served behind it', async () => {
    expect((await read('claude-code', [served, told(), ended], { exitCode: 1 })).outcome.kind).toBe('usage_limit');
  });
});

describe('an answer of OpenCode', () => {
  const step = (reason: string, output = 0) => [
    { type: 'text', sessionID: 's1', part: { text: 'Half of it' } },
    { type: 'step_finish', sessionID: 's1', part: { reason, tokens: { input: 9, output } } },
  ];
  const RETRY = 'level=ERROR message="stream error" small=false error.error="AI_APICallError: Rate limit reached"\n';

  it('that broke off is no answer, and is asked for again', async () => {
    expect((await read('opencode', step('other'))).outcome).toMatchObject({
      kind: 'transient',
      why: expect.stringContaining('broke off'),
    });
  });

  it('that ended by a word of its provider alone has ended', async () => {
    expect((await read('opencode', step('other', 20))).outcome).toEqual({ kind: 'done' });
  });

  it('that was cut was cut, whatever call it got over before', async () => {
    expect((await read('opencode', step('length'), {}, RETRY)).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('limit of output'),
    });
  });
});

describe('a reset time that a CLI tells', () => {
  const rejected = (resetsAt: number) => [
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour' } },
    { type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: "You've hit your limit" },
  ];
  const untilOf = async (resetsAtMs: number, words = '') => {
    const events =
      words === '' ? rejected(Math.floor(resetsAtMs / 1000)) : [{ type: 'turn.failed', error: { message: words } }];
    const { outcome } = await read(words === '' ? 'claude-code' : 'codex', events, { exitCode: 1 });
    return outcome.kind === 'usage_limit' ? outcome.until : outcome.kind;
  };
  const now = Date.parse(END);

  it.each([
    ['is taken', now + 3_600_000, '2026-11-21T11:00:00.000Z'],
    ['40 days ahead is taken: how long a run waits is its policy', now + 40 * DAY_MS, '2026-12-31T10:00:00.000Z'],
    ['in the past is none', now - 3_600_000, null],
    ['in the past by a clock that is a second behind is none', now - 1_000, null],
    ['two years ahead is none', now + 730 * DAY_MS, null],
    ['in milliseconds where seconds are meant is none', now * 1000, null],
  ])('%s', async (_what, at, until) => {
    expect(await untilOf(at)).toBe(until);
  });

  it.each([
    [
      'in words that name a day',
      "You've hit your usage limit. Try again at Jan 1st, 2027 9:00 AM.",
      new Date(2027, 0, 1, 9, 1).toISOString(),
    ],
    ['in words that name no time', "You've hit your usage limit. Try again later.", null],
    ['in words, of a day that has passed', "You've hit your usage limit. Try again at Nov 1st, 2026 9:00 AM.", null],
  ])('%s', async (_what, words, until) => {
    expect(await untilOf(0, words)).toBe(until);
  });
});

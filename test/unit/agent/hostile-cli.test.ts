/** A hostile program behind the adapter of a coding CLI: what it forges of figures, names and sizes in the stream that a CLI would print. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { adapterOf } from '../../../activities/agent/agent-adapters.js';
import type { TurnReading, TurnUsage } from '../../../activities/agent/contract.js';
import { jsonObjectOf, MAX_LINE_BYTES } from '../../../activities/agent/events/read-json-lines.js';
import { MAX_TEXT_BYTES } from '../../../activities/agent/outcome/read-plain-turn.js';
import { tempFolder } from '../../support/temp-folder.js';
import { aTurn } from './turn-builder.js';

const CLIS = ['claude-code', 'codex', 'opencode', 'model'] as const;
type Cli = (typeof CLIS)[number];

interface Stream {
  /** A final event with this figure, as JSON, wherever one stands. */
  readonly end: (figure: string) => string;
  /** An event that names the conversation. */
  readonly named: (id: string) => string;
  readonly says: (text: string) => string;
}

const STREAMS: Readonly<Record<Cli, Stream>> = {
  'claude-code': {
    end: (n) =>
      `{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":${n},"output_tokens":${n}},"total_cost_usd":${n}}`,
    named: (id) => JSON.stringify({ type: 'system', subtype: 'init', session_id: id }),
    says: (text) => JSON.stringify({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text }] } }),
  },
  codex: {
    end: (n) => `{"type":"turn.completed","usage":{"input_tokens":${n},"output_tokens":${n}}}`,
    named: (id) => JSON.stringify({ type: 'thread.started', thread_id: id }),
    says: (text) => JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text } }),
  },
  opencode: {
    end: (n) => `{"type":"step_finish","part":{"reason":"stop","tokens":{"input":${n},"output":${n}},"cost":${n}}}`,
    named: (id) => JSON.stringify({ type: 'step_start', sessionID: id }),
    says: (text) => JSON.stringify({ type: 'text', part: { text } }),
  },
  model: {
    end: (n) => `{"type":"end","finish":"stop","usage":{"tokensIn":${n},"tokensOut":${n},"costMicroUsd":${n}}}`,
    named: (id) => JSON.stringify({ type: 'thinking', id }),
    says: (text) => JSON.stringify({ type: 'text', text }),
  },
};

/** Figures that are none, or that no sum may grow from; 1e400 is Infinity once it is read. */
const FIGURES = [
  '-1',
  '-1e308',
  '1e308',
  '1e400',
  '-0',
  '0.5',
  '9007199254740991',
  '9007199254740993',
  '"7"',
  'null',
  '[7]',
  '{"a":7}',
  'true',
];

const folder = tempFolder();
let files = 0;

async function read(cli: Cli, lines: readonly string[], before: TurnUsage | null = null): Promise<TurnReading> {
  files += 1;
  const paths = { stdout: join(folder, `out-${files}`), stderr: join(folder, `err-${files}`) };
  await writeFile(paths.stdout, lines.join('\n'));
  await writeFile(paths.stderr, '');
  const resume = before === null ? null : { id: 'c1', totals: before };
  const exit = { exitCode: 0, signal: null, reason: 'exited', endedAt: '2026-11-21T10:00:00.000Z', ...paths } as const;
  return adapterOf({ adapter: cli }).read(aTurn({ resume }), exit);
}

const isCount = (figure: number | null) => figure === null || (Number.isSafeInteger(figure) && figure >= 0);

describe.each(CLIS)('a hostile program that prints what %s would', (cli) => {
  const { end, named, says } = STREAMS[cli];
  const totals = { tokensIn: 1000, tokensOut: 1000, costMicroUsd: 1000 };

  it.each(FIGURES)(
    'tells %s for every figure, often, and in a conversation that goes on: what counts is whole and not below zero',
    async (figure) => {
      for (const before of [null, totals]) {
        const { usage, conversation } = await read(
          cli,
          [named('c1'), end(figure), end('9007199254740991'), end(figure), end(figure)],
          before,
        );

        expect(Object.values(usage).filter((one) => !isCount(one))).toEqual([]);
        expect(Object.values(conversation?.totals ?? {}).filter((one) => !isCount(one))).toEqual([]);
      }
    },
  );

  it.each(FIGURES)('tells %s after a figure that counts, and gives nothing of that back', async (figure) => {
    const first = await read(cli, [end('5')]);
    const both = await read(cli, [end('5'), end(figure)]);

    for (const name of ['tokensIn', 'tokensOut', 'costMicroUsd'] as const)
      expect(both.usage[name] ?? 0).toBeGreaterThanOrEqual(first.usage[name] ?? 0);
  });

  it('names two conversations: none of them is gone on with', async () => {
    expect((await read(cli, [named('c1'), named('c2'), says('Done.'), end('1'), named('c1')])).conversation).toBeNull();
  });

  it('names one as no CLI would, and that never becomes an argument', async () => {
    const odd = [
      '../../x',
      '..',
      '.',
      '/etc/passwd',
      '-c',
      '--resume',
      'a b',
      'a\nb',
      'a\u0000',
      '\u001b]0;x\u0007',
      '$(x)',
      'a;b',
      'ѕ1',
      'a'.repeat(129),
      '',
    ];

    for (const id of odd) expect((await read(cli, [named(id), says('Done.'), end('1')])).conversation).toBeNull();
  });

  it('prints a line of 50 MB, NUL bytes, a million lines and lines of a million values: it ends as it would have', async () => {
    const wide = `{"type":"error","a":[${'{},'.repeat(1_000_000)}{}]}`;
    const deep = `{"type":"error","a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
    const floods = [
      'x'.repeat(50_000_000),
      '\0'.repeat(1000),
      '{}\n'.repeat(1_000_000),
      wide,
      deep,
      `{"type":${'"'.repeat(1_000_001)}`,
    ];
    const { outcome, text } = await read(cli, [...floods, says('Done.'), end('1')]);

    expect({ outcome, text }).toEqual({ outcome: { kind: 'done' }, text: 'Done.' });
  });

  it('says more than is kept: the text has its bound', async () => {
    const { text } = await read(cli, [
      ...Array.from({ length: 6 }, () => says('x'.repeat(MAX_LINE_BYTES / 8))),
      end('1'),
    ]);

    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
  });

  it('repeats a key, or has one of the prototype: the last of the event itself counts', async () => {
    const { outcome } = await read(cli, [
      '{"type":"x","type":"y","__proto__":{"type":"error","session_id":"c9"}}',
      end('1').replace('{', '{"__proto__":{"is_error":true},"type":"error",'),
    ]);

    expect(outcome).toEqual({ kind: 'done' });
  });
});

describe('a line of a stream', () => {
  it('is none above 200 000 values, which cost a hundred times their bytes once they are read', () => {
    const list = (count: number) => `{"type":"x","a":[${Array.from({ length: count }, () => '1').join(',')}]}`;

    expect(jsonObjectOf(list(199_000))).not.toBeNull();
    expect(jsonObjectOf(list(201_000))).toBeNull();
  });

  it('may hold as many brackets and commas inside its texts as it likes', () => {
    const text = '[{,"\\'.repeat(300_000);

    expect(jsonObjectOf(JSON.stringify({ type: 'x', text }))).toEqual({ type: 'x', text });
  });
});

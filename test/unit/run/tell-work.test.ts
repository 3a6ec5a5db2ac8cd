/** What is told of a command at work. The clock is jest's; files and their ends are real. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { glanceAtAcp } from '../../../activities/agent/adapters/acp/acp-glance.js';
import { glanceAtClaude } from '../../../activities/agent/adapters/claude-code/claude-glance.js';
import { glanceAtCodex } from '../../../activities/agent/adapters/codex/codex-glance.js';
import { glanceAtOpencode } from '../../../activities/agent/adapters/opencode/opencode-glance.js';
import { jsonObjectOf } from '../../../activities/agent/events/read-json-lines.js';
import { lookingOn, tellingWork, type WatchedCommand } from '../../../activities/unit/tell-work.js';
import type { LiveWork } from '../../../protocol/messages/live-work.js';
import { createValueRedactor } from '../../../protocol/text/value-redactor.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();

/** Shows what a command says after `parts`, a second each; the end is told too. */
async function told(parts: readonly string[], watched: Partial<WatchedCommand> = {}) {
  const stdout = join(freshFolder(), 'stdout');
  writeFileSync(stdout, '');
  const shown: (LiveWork | null)[] = [];
  const teller = {
    redactor: createValueRedactor(['hunter2-hunter2']),
    show: async (work: LiveWork | null) => void shown.push(work),
  };
  const answer = await tellingWork(
    teller,
    { kind: 'checks', command: 'npm test', stdout, glance: null, ...watched },
    async () => {
      for (const part of parts) {
        appendFileSync(stdout, part);
        await jest.advanceTimersByTimeAsync(1_000);
        const before = shown.length;
        // The look is of real files: it ends when they were read.
        while (shown.length === before) await new Promise((resolve) => setImmediate(resolve));
      }
      return 'done';
    },
  );
  expect(answer).toBe('done');
  return shown;
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'Date'] });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('of a command at work', () => {
  it('the last whole lines are told, and that it ended', async () => {
    const shown = await told(['one\ntwo\nthr', 'ee\n']);

    expect(shown.map((work) => work?.lines ?? null)).toEqual([['one', 'two'], ['one', 'two', 'three'], null]);
    expect(shown[0]).toMatchObject({ kind: 'checks', command: 'npm test' });
  });

  it('nothing but its end is told where it is quick, since another process may have told of it', async () => {
    expect(await told([])).toEqual([null]);
  });

  it('is looked at once at a time, so that no look is waited for but the one that is under way', async () => {
    let endLooks = () => {};
    const slow = new Promise<void>((resolve) => {
      endLooks = resolve;
    });
    let looks = 0;
    const again = () => {
      looks += 1;
      return slow;
    };

    await lookingOn(again, async () => {
      await jest.advanceTimersByTimeAsync(5_000);
      endLooks();
    });

    expect(looks).toBe(1);
  });

  it('no secret is told, none that steers a terminal, and no line of a key whose beginning is not here', async () => {
    const [work] = await told([
      `say hunter2-hunter2\n\u001b[31mred\u001b[0m\u0007\n${'MIIEowIBAAKCAQEAx'.repeat(3)}\nghp_${'a'.repeat(36)}\n`,
    ]);

    expect(work?.lines).toEqual(['say [redacted:environment]', 'red␇', '[redacted:github-token]']);
  });

  it('a secret in the command itself is not told', async () => {
    const [work] = await told(['x\n'], { command: 'curl -u me:hunter2-hunter2 localhost\nsh' });

    expect(work?.command).toBe('curl -u me:[redacted:environment] localhost sh');
  });

  it('a long output costs no more than its end', async () => {
    const [work] = await told([`${'x '.repeat(100)}\n`.repeat(5_000)]);

    expect(work?.lines).toHaveLength(40);
  });

  it('whoever cannot be told does not end it', async () => {
    const teller = {
      redactor: createValueRedactor([]),
      show: async () => {
        throw new Error('no room');
      },
    };
    const watched = { kind: 'agent', command: null, stdout: '/nowhere', glance: null } as const;

    const work = async () => {
      await jest.advanceTimersByTimeAsync(5_000);
      return 'done';
    };

    expect(await tellingWork(teller, watched, work)).toBe('done');
  });
});

const json = (...events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const message = (...content: readonly object[]) => ({ type: 'assistant', message: { content } });

describe('of an agent that prints events', () => {
  it.each([
    [
      'Claude Code',
      glanceAtClaude,
      json(
        message({ type: 'text', text: 'I look at it.' }),
        message({ type: 'tool_use', name: 'Read', input: { file_path: 'src/a.ts' } }),
        { type: 'user', message: { content: [{ type: 'tool_result', content: 'text' }] } },
        message({ type: 'tool_use', name: 'Bash', input: { command: 'npm test' } }),
      ),
      ['I look at it.', 'Read src/a.ts'],
      'npm test',
    ],
    [
      'Codex',
      glanceAtCodex,
      json(
        { type: 'item.completed', item: { type: 'agent_message', text: 'I look at it.' } },
        { type: 'item.started', item: { type: 'command_execution', command: 'npm test' } },
      ),
      ['I look at it.'],
      'npm test',
    ],
    [
      'Codex, after its command',
      glanceAtCodex,
      json(
        { type: 'item.started', item: { type: 'command_execution', command: 'npm test' } },
        { type: 'item.completed', item: { type: 'command_execution', command: 'npm test' } },
      ),
      [],
      null,
    ],
    [
      'OpenCode',
      glanceAtOpencode,
      json(
        { type: 'text', part: { text: 'I look at it.' } },
        { type: 'text', part: { text: 'not this', synthetic: true } },
        { type: 'tool_use', part: { tool: 'bash', state: { title: 'npm test' } } },
      ),
      ['I look at it.', 'bash npm test'],
      null,
    ],
    [
      'an ACP agent',
      glanceAtAcp,
      json(
        { type: 'text', text: 'I look' },
        { type: 'text', text: ' at it.' },
        { type: 'tool', kind: 'execute', title: 'npm test' },
      ),
      ['I look at it.'],
      'npm test',
    ],
  ])('%s: its words and its command are told', async (_, glance, printed, lines, command) => {
    const [work] = await told([`${printed}torn {`], { kind: 'agent', command: null, glance });

    expect([work?.lines, work?.command]).toEqual([lines, command]);
  });

  it.each([
    ['claude-code', glanceAtClaude],
    ['codex', glanceAtCodex],
    ['opencode', glanceAtOpencode],
  ])('%s: something is told of what a real one printed', (cli, glance) => {
    const folder = join(import.meta.dirname, '../agent/transcripts', cli);
    const printed = readdirSync(folder).filter((name) => name.endsWith('.stdout'));
    const events = printed.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').map(jsonObjectOf));
    const seen = events.flatMap((event) => (event === null ? [] : [glance(event)]));

    expect(seen.filter((one) => one?.kind === 'said' && one.text.trim() !== '')).not.toEqual([]);
  });
});

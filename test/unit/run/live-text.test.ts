/** What an agent says, as it is written while the agent works. The clock is jest's; files and their ends are real. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { glanceAtAcp } from '../../../activities/agent/adapters/acp/acp-glance.js';
import { glanceAtClaude } from '../../../activities/agent/adapters/claude-code/claude-glance.js';
import { glanceAtCodex } from '../../../activities/agent/adapters/codex/codex-glance.js';
import { LiveFile } from '../../../activities/journal/live-file.js';
import type { CommandEnd } from '../../../activities/process/contract.js';
import { tellingText, type WatchedTurn } from '../../../activities/unit/live-text.js';
import { MAX_LIVE_BYTES } from '../../../protocol/messages/live-text.js';
import { createValueRedactor } from '../../../protocol/text/value-redactor.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();

const EXITED = { kind: 'ended', exit: { reason: 'exited', signal: null } } as CommandEnd;
const KILLED = { kind: 'ended', exit: { reason: 'timed_out', signal: null } } as CommandEnd;

/** **Unit** ms of this machine's own clock: a look at a file takes one, unless the machine is busy. */
const NOTHING_NEW_MS = 1_500;

class Turn {
  readonly folder = freshFolder();
  readonly dir = join(this.folder, 'turns', '3-executing');
  readonly stdout = join(this.folder, 'stdout');
  /** After each second. */
  readonly seen: (string | null)[] = [];
  private writes = 0;

  constructor(private readonly glance: WatchedTurn['glance'] = null) {
    writeFileSync(this.stdout, '');
  }

  /** The agent prints the parts, a second each, and then an attempt sees the end; null: the attempt was given up. */
  async attempt(parts: readonly string[], end: CommandEnd | null = EXITED): Promise<void> {
    const file = new LiveFile(this.dir, { root: this.folder });
    const write = file.write.bind(file);
    file.write = (text, isWhole) => {
      this.writes += 1;
      write(text, isWhole);
    };
    const watched = {
      stdout: this.stdout,
      glance: this.glance,
      redactor: createValueRedactor(['hunter2-hunter2']),
      file,
    };
    const work = async () => {
      for (const part of parts) {
        appendFileSync(this.stdout, part);
        await this.second();
      }
      if (end === null) throw new Error('detached');
      return end;
    };
    await tellingText(watched, work).catch((error: Error) => {
      if (error.message !== 'detached') throw error;
    });
  }

  print(text: string): void {
    appendFileSync(this.stdout, text);
  }

  read(name = 'live.md'): string | null {
    const path = join(this.dir, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  }

  /** The look is of real files: it ends when they were read, or when nothing was new. */
  private async second(): Promise<void> {
    const before = this.writes;
    await jest.advanceTimersByTimeAsync(1_000);
    const until = Date.now() + NOTHING_NEW_MS;
    while (this.writes === before && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
    this.seen.push(this.read());
  }
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'Date'] });
});

afterEach(() => {
  jest.useRealTimers();
});

const json = (...events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const message = (...content: readonly object[]) => ({ type: 'assistant', message: { content } });

describe('the text of a turn', () => {
  it('is written while the agent works, as far as it is final, and to its end when it has ended', async () => {
    const turn = new Turn();
    await turn.attempt(['one\ntwo thr', 'ee and hunter2-', 'hunter2 too']);

    expect(turn.seen).toEqual(['one\ntwo ', 'one\ntwo three and ', 'one\ntwo three and [redacted:environment] ']);
    expect(turn.read()).toBe('one\ntwo three and [redacted:environment] too');
  });

  it('is no file where the turn took no second, or said nothing', async () => {
    const quick = new Turn();
    quick.print('one\n');
    await quick.attempt([]);
    const silent = new Turn();
    await silent.attempt(['', '']);

    expect([quick.read(), silent.read()]).toEqual([null, null]);
    expect([existsSync(quick.dir), existsSync(silent.dir)]).toEqual([false, false]);
  });

  it('has each byte once, whichever attempts wrote it and wherever they were given up', async () => {
    const turn = new Turn();
    const said = Array.from({ length: 6 }, (_, n) => `line ${n} with a word ghp_${'a1B2'.repeat(9)}\nopen ${n} `);
    for (const part of said) await turn.attempt([part], null);
    await turn.attempt([]);

    expect(turn.read()).toBe(said.join('').replace(/ghp_\w+/g, '[redacted:github-token]'));
    expect(turn.read('live.2.md')).toBeNull();
  });

  it('is told to its end by an attempt that only finds the end', async () => {
    const turn = new Turn();
    await turn.attempt(['one two'], null);
    turn.print(' three');
    await turn.attempt([]);

    expect(turn.read()).toBe('one two three');
  });

  it('shows no beginning of a secret where the agent was ended in it', async () => {
    const turn = new Turn();
    await turn.attempt([`it is ghp_${'a1B2'.repeat(3)}`], KILLED);

    expect(turn.read()).toBe('it is ');
  });

  it('ends where the output does, which was cut while it was read', async () => {
    const turn = new Turn();
    turn.print('a'.repeat(1_000_000));
    const real = createValueRedactor([]);
    let blocks = 0;
    const visible = () => {
      const stream = real.visible();
      const push = (text: string) => {
        blocks += 1;
        if (blocks > 100) throw new Error('it is read on and on');
        truncateSync(turn.stdout, 100);
        return stream.push(text);
      };
      return { push, end: () => stream.end() };
    };
    const file = new LiveFile(turn.dir, { root: turn.folder });
    const work = async () => {
      await jest.advanceTimersByTimeAsync(1_000);
      return KILLED;
    };

    expect(await tellingText({ stdout: turn.stdout, glance: null, redactor: { visible }, file }, work)).toBe(KILLED);
    expect(blocks).toBe(1);
  });

  it('begins anew in another file where the agent was started again', async () => {
    const turn = new Turn();
    await turn.attempt(['first start\n'], null);
    renameSync(turn.stdout, `${turn.stdout}.1`);
    writeFileSync(turn.stdout, '');
    await turn.attempt(['again\n']);

    expect([turn.read(), turn.read('live.2.md')]).toEqual(['first start\n', 'again\n']);
  });

  it('ends at a MiB, which is said once, also where a character lies across', async () => {
    const turn = new Turn();
    await turn.attempt(['€uro and €uro\n'.repeat(200_000), 'more\n', 'x y\n']);

    const text = turn.read() ?? '';
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_LIVE_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_LIVE_BYTES - 4);
    expect(text).toMatch(/\[the rest is left out here\]\n$/);
    expect(text).not.toContain('\ufffd');
  });

  it('costs no turn anything where it cannot be written', async () => {
    const turn = new Turn();
    writeFileSync(join(turn.folder, 'turns'), 'in the way');

    await expect(turn.attempt(['one\n', 'two\n'])).resolves.toBeUndefined();
  });

  it('is the same for characters whose bytes come apart', async () => {
    const turn = new Turn();
    const bytes = Buffer.from('größe €1 🚀 end\n');
    mkdirSync(turn.dir, { recursive: true });
    const parts = Array.from(bytes, (byte) => Buffer.from([byte]));
    for (const part of parts) {
      appendFileSync(turn.stdout, part);
      await turn.attempt([''], null);
    }
    await turn.attempt([]);

    expect(turn.read()).toBe('größe €1 🚀 end\n');
  });
});

describe('of an agent that prints events', () => {
  it.each([
    [
      'Claude Code',
      glanceAtClaude,
      json(
        message({ type: 'text', text: 'I look\nat it.' }),
        message({ type: 'tool_use', name: 'Read', input: { file_path: 'src/a.ts' } }),
        message({ type: 'tool_use', name: 'Bash', input: { command: 'npm\ntest' } }),
        { type: 'user', message: { content: [{ type: 'tool_result', content: 'text' }] } },
      ),
      'I look\nat it.\nRead src/a.ts\n$ npm test\n',
    ],
    [
      'Codex, which tells a command again',
      glanceAtCodex,
      json(
        { type: 'item.started', item: { type: 'command_execution', command: 'npm test' } },
        { type: 'item.updated', item: { type: 'command_execution', command: 'npm test' } },
        { type: 'item.completed', item: { type: 'command_execution', command: 'npm test' } },
        { type: 'item.started', item: { type: 'command_execution', command: 'npm test' } },
        { type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } },
      ),
      '$ npm test\n$ npm test\nDone.\n',
    ],
    [
      'an ACP agent',
      glanceAtAcp,
      json(
        { type: 'text', text: 'I look' },
        { type: 'text', text: ' at it.' },
        { type: 'tool', kind: 'execute', title: 'npm test' },
        { type: 'text', text: 'Done' },
      ),
      'I look at it.\n$ npm test\nDone',
    ],
  ])('%s: its words come as they are, and a tool call is a line', async (_, glance, printed, text) => {
    const turn = new Turn(glance);
    const half = Math.floor(printed.length / 2);
    await turn.attempt([printed.slice(0, half), printed.slice(half)]);

    expect(turn.read()).toBe(text);
  });
});

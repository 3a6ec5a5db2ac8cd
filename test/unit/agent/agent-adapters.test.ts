import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { adapterOf } from '../../../activities/agent/agent-adapters.js';
import type { AgentExit } from '../../../activities/agent/contract.js';
import { MAX_TEXT_BYTES } from '../../../activities/agent/outcome/read-plain-turn.js';
import { AGENT_KINDS } from '../../../config/agents/kinds.js';
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import type { AgentConfig } from '../../../protocol/run/policy.js';
import { tempFolder } from '../../support/temp-folder.js';
import { aTurn } from './turn-builder.js';

const command: AgentConfig = {
  adapter: 'command',
  command: ['/opt/bot', 'run'],
  args: ['--fast'],
  env: { BOT: '1' },
  model: 'large',
  fallback: null,
};
const scripted: AgentConfig = {
  adapter: 'scripted',
  command: null,
  args: ['/fixtures/a.json'],
  env: {},
  model: null,
  fallback: null,
};

const WITH_OWN_PROGRAM = AGENT_KINDS.filter(({ adapter, program }) => adapter !== 'acp' && program !== null);

describe('an adapter', () => {
  it.each(WITH_OWN_PROGRAM)('$adapter starts the program of its record', ({ adapter, program }) => {
    const config = { ...command, adapter, command: null };

    expect(adapterOf(config).command(aTurn({ config })).argv[0]).toBe(program);
  });

  it.each([
    ['command', command],
    ['scripted', scripted],
  ])('%s gives the prompt on stdin and keeps the decision code out of the environment', (_name, config) => {
    const turn = aTurn({ config, stage: 'reviewing', round: 2, prompt: 'judge ab12cd34\n' });

    const { stdin, argv, env } = adapterOf(config).command(turn);

    expect(stdin).toBe('judge ab12cd34\n');
    expect(env).toMatchObject({ SLUICE_STAGE: 'reviewing', SLUICE_ROUND: '2' });
    expect(JSON.stringify([argv, env])).not.toContain(turn.decisionCode);
  });
});

describe('the adapter command', () => {
  it('runs the program with its leading and further arguments', () => {
    expect(adapterOf(command).command(aTurn({ config: command })).argv).toEqual(['/opt/bot', 'run', '--fast']);
  });

  it('gives the base, the agent’s own variables, and the engine’s last', () => {
    const config = { ...command, env: { BOT: '1', HOME: '/bot', SLUICE_STAGE: 'lie' } };
    const stagePolicy = { ...aTurn().stagePolicy, model: 'small', effort: 'high' };

    const { env } = adapterOf(config).command(aTurn({ config, stagePolicy, env: { HOME: '/me', PATH: '/bin' } }));

    expect(env).toEqual({
      PATH: '/bin',
      HOME: '/bot',
      BOT: '1',
      SLUICE_STAGE: 'executing',
      SLUICE_ROUND: '0',
      SLUICE_MODEL: 'small',
      SLUICE_EFFORT: 'high',
    });
  });

  it('names the agent’s own model where the stage has none', () => {
    expect(adapterOf(command).command(aTurn({ config: command })).env).toMatchObject({ SLUICE_MODEL: 'large' });
  });

  it('refuses an agent without a program', () => {
    const config = { ...command, command: null };

    expect(() => adapterOf(config).command(aTurn({ config }))).toThrow(
      expect.objectContaining({
        type: 'BadAgent',
        nonRetryable: true,
        message: expect.stringContaining('agents.bot.command is not set'),
      }),
    );
  });
});

describe('the adapter scripted', () => {
  it('runs node on the given entry and the fixture', () => {
    const adapter = adapterOf(scripted, { scriptedEntry: ['--no-warnings', '/x/main.js'] });

    expect(adapter.command(aTurn({ config: scripted })).argv).toEqual([
      process.execPath,
      '--no-warnings',
      '/x/main.js',
      '/fixtures/a.json',
    ]);
  });

  it('takes the entry beside itself where none is given', () => {
    const { argv } = adapterOf(scripted).command(aTurn({ config: scripted }));

    expect(argv[1]).toBe(join(process.cwd(), 'activities/agent/scripted/main.js'));
  });

  it.each([[[]], [['relative.json']]])('refuses the fixture %j', (args) => {
    const config = { ...scripted, args };

    expect(() => adapterOf(config).command(aTurn({ config }))).toThrow(expect.objectContaining({ type: 'BadAgent' }));
  });
});

describe.each(['command', 'scripted'] as const)('a finished turn of %s', (adapter) => {
  const folder = tempFolder();

  async function read(exit: Partial<AgentExit>, stdout: string | Buffer, stderr = '') {
    const paths = { stdout: join(folder, 'out'), stderr: join(folder, 'err') };
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

  it('with exit code 0 and some text is done', async () => {
    expect(await read({}, 'all good\n', 'a warning')).toEqual({
      outcome: { kind: 'done' },
      text: 'all good\n',
      usage: { tokensIn: null, tokensOut: null, costMicroUsd: null },
      conversation: null,
      denied: 0,
    });
  });

  it.each<[string, Partial<AgentExit>, string, string]>([
    ['that printed nothing', {}, '', 'printed nothing'],
    ['that printed only white space', {}, ' \n\t\n', 'printed nothing'],
    ['with another exit code', { exitCode: 1 }, 'x', 'exited with code 1'],
    ['with the shell’s code for a missing program', { exitCode: 127 }, 'x', 'exited with code 127'],
    ['with "500 files" in its text', { exitCode: 1 }, '500 files, HTTP 429\n429 tests', 'exited with code 1'],
    ['that died of a signal', { exitCode: null, signal: 'SIGSEGV' }, 'x', 'signal SIGSEGV'],
    ['whose end nobody saw', { exitCode: null }, 'x', 'without an exit code'],
    ['that printed too much', { exitCode: null, signal: 'SIGKILL', reason: 'output_limit' }, 'x', 'limits.outputBytes'],
    ['that was aborted', { exitCode: null, signal: 'SIGTERM', reason: 'aborted' }, 'x', 'abort'],
  ])('%s fails hard', async (_what, exit, stdout, why) => {
    const { outcome, text } = await read(exit, stdout);

    expect(outcome).toEqual({ kind: 'hard', why: expect.stringContaining(why) });
    expect(text).toBe(stdout);
  });

  it('that failed on a full disk may pass: the next attempt waits for room', async () => {
    const { outcome } = await read({ exitCode: 1, diskFull: true }, 'half of');

    expect(outcome).toEqual({ kind: 'transient', why: 'the agent exited with code 1, and the disk was full' });
  });

  it('that ended well on a full disk is done', async () => {
    expect((await read({ diskFull: true }, 'all good\n')).outcome).toEqual({ kind: 'done' });
  });

  it.each([
    ['timed_out', 'time limit'],
    ['stalled', 'stall limit'],
  ] as const)('that was ended as %s is a timeout', async (reason, why) => {
    const { outcome } = await read({ exitCode: null, signal: 'SIGKILL', reason }, 'half of it');

    expect(outcome).toEqual({ kind: 'timeout', why: expect.stringContaining(why) });
  });

  it('says the agent’s last complaint, in at most 300 characters, without control sequences', async () => {
    const { outcome } = await read(
      { exitCode: 2 },
      'x',
      `first\nlogin \u001b[31mneeded\u001b[0m ${'!'.repeat(1000)}\n\n`,
    );

    expect(outcome).toEqual({
      kind: 'hard',
      why: expect.stringMatching(/^the agent exited with code 2: login needed .{200,}…$/),
    });
    expect('why' in outcome && outcome.why.length).toBe(300);
  });

  it.each<[string, Partial<AgentExit>, string, string, TurnOutcome]>([
    [
      'by its outcome line',
      { exitCode: 1 },
      'half',
      'x\nsluice-outcome: refused not this\n',
      { kind: 'refused', why: 'the agent refuses the task: not this' },
    ],
    [
      'by an outcome line without words',
      { exitCode: 4 },
      '',
      'sluice-outcome: transient',
      { kind: 'transient', why: 'the agent exited with code 4' },
    ],
    [
      'by a phrase on stderr',
      { exitCode: 1 },
      'half',
      'HTTP 503\nbye',
      { kind: 'transient', why: 'the agent exited with code 1: HTTP 503' },
    ],
    [
      'by a phrase on stdout',
      { exitCode: 1 },
      'hm\nClaude AI usage limit reached|1763733600\n',
      '',
      {
        kind: 'usage_limit',
        why: "the agent's usage limit is reached: Claude AI usage limit reached|1763733600",
        until: null,
      },
    ],
    [
      'by the exit code of a temporary failure',
      { exitCode: 75 },
      'half',
      'later',
      { kind: 'transient', why: 'the agent exited with code 75: later' },
    ],
    [
      'with nothing printed, by its stderr',
      {},
      '',
      '\u001b[31mError: 429\u001b[0m',
      { kind: 'rate_limited', why: 'the agent is rate limited: Error: 429', afterMs: null },
    ],
  ])('that failed is classified %s', async (_what, exit, stdout, stderr, outcome) => {
    expect((await read(exit, stdout, stderr)).outcome).toEqual(outcome);
  });

  it.each([
    ['sluice-outcome: usage_limit until=2020-01-01T05:00:00Z', '2020-01-01T05:00:00.000Z'],
    ['Usage limit reached, try again in 2 days 17 hours', '2020-01-03T17:00:00.000Z'],
  ])('that failed long before it is read has the reset that it was told then: %s', async (stderr, until) => {
    const { outcome } = await read({ exitCode: 1, endedAt: '2020-01-01T00:00:00.000Z' }, '', stderr);

    expect(outcome).toMatchObject({ kind: 'usage_limit', until });
  });

  it.each<[string, Partial<AgentExit>, string, string, TurnOutcome['kind']]>([
    ['that ended well, whatever it says,', {}, 'HTTP 429', 'sluice-outcome: transient', 'done'],
    ['that died of a signal', { exitCode: null, signal: 'SIGKILL' }, 'x', 'HTTP 429', 'hard'],
    ['whose phrase stands long before the end', { exitCode: 1 }, 'x', `HTTP 429\n${'more\n'.repeat(20)}`, 'hard'],
    [
      'whose phrase stands where the tail begins',
      { exitCode: 1 },
      'x',
      `${'x'.repeat(20_000)}HTTP 429${' '.repeat(16 * 1024 - 8)}`,
      'hard',
    ],
  ])('%s is not searched for a failure', async (_what, exit, stdout, stderr, kind) => {
    expect((await read(exit, stdout, stderr)).outcome.kind).toBe(kind);
  });

  it('keeps head and tail of a text above its limit', async () => {
    const { text } = await read({}, `HEAD${'é'.repeat(2 * MAX_TEXT_BYTES)}TAIL`);

    expect(text).toMatch(/^HEADé+\n\[… \d+ bytes left out …\]\né+TAIL$/);
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_TEXT_BYTES + 100);
  });

  it('is a failure for good where its output is gone: another try would find the same', async () => {
    const gone = join(folder, 'gone');

    expect((await read({ stdout: gone, stderr: gone }, '')).outcome).toEqual({
      kind: 'hard',
      why: 'the agent printed nothing',
    });
  });
});

describe('a cost line', () => {
  const folder = tempFolder();

  async function costOf(config: AgentConfig, stderr: string): Promise<number | null> {
    const paths = { stdout: join(folder, 'out'), stderr: join(folder, 'err') };
    await writeFile(paths.stdout, 'x');
    await writeFile(paths.stderr, stderr);
    const reading = await adapterOf(config).read(aTurn(), {
      exitCode: 0,
      signal: null,
      reason: 'exited',
      endedAt: '2026-11-21T10:00:00.000Z',
      ...paths,
    });
    return reading.usage.costMicroUsd;
  }

  it('of the scripted agent is its cost, in micro-dollars', async () => {
    expect(await costOf(scripted, 'sluice-cost: 1\nsluice-cost: 0.123457\nbye')).toBe(123_457);
  });

  it.each(['sluice-cost: -1', 'sluice-cost: 1e9', ' sluice-cost: 1', 'sluice-cost: 99999999', 'cost'])(
    '%j is none',
    async (line) => {
      expect(await costOf(scripted, line)).toBeNull();
    },
  );

  it('of any other program is not believed', async () => {
    expect(await costOf(command, 'sluice-cost: 0.000001')).toBeNull();
  });
});

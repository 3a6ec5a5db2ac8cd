/** Claude Code: its command line at each level of tools, and each row of its table by a transcript. */
import { describe, expect, it } from '@jest/globals';
import { claudeAdapter } from '../../../activities/agent/adapters/claude-code/claude-adapter.js';
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import type { AgentConfig, ToolLevel } from '../../../protocol/run/policy.js';
import { readTranscript } from './transcript.js';
import { aTurn } from './turn-builder.js';

const config: AgentConfig = { adapter: 'claude-code', command: null, args: [], env: {}, model: null, fallback: null };
const read = (name: string, given?: Parameters<typeof readTranscript>[2]) => readTranscript('claude-code', name, given);
const ID = '0b6cf0a4-64ae-4f52-9a1f-0f6d1c1f5c01';
const BEFORE = { id: ID, totals: { tokensIn: 1000, tokensOut: 40, costMicroUsd: 3600 } };

function argvOf(given: Parameters<typeof aTurn>[0]): readonly string[] {
  return claudeAdapter.command(aTurn({ config, ...given })).argv;
}

const after = (argv: readonly string[], flag: string) => argv[argv.indexOf(flag) + 1];

describe('the command of Claude Code', () => {
  it('is the name on PATH, prints JSON events, reads the prompt from stdin and no settings of the repository', () => {
    const { argv, stdin } = claudeAdapter.command(aTurn({ config, prompt: 'do it' }));

    expect(argv.slice(0, 5)).toEqual(['claude', '-p', '--output-format', 'stream-json', '--verbose']);
    expect(after(argv, '--setting-sources')).toBe('user');
    expect(argv).toContain('--strict-mcp-config');
    expect(stdin).toBe('do it');
    expect(argv.join(' ')).not.toContain('do it');
  });

  it.each<[ToolLevel, string, RegExp, RegExp]>([
    ['read', 'default', /^$/, /^Edit,MultiEdit,NotebookEdit,Write,/],
    ['edit', 'acceptEdits', /^Edit,MultiEdit,NotebookEdit,Write$/, /^AskUserQuestion/],
    ['run', 'acceptEdits', /^Edit,.*,Bash$/, /^AskUserQuestion/],
  ])('at the level %s has its own rules and never skips permissions', (tools, mode, allowed, taken) => {
    const argv = argvOf({ tools });

    expect(after(argv, '--permission-mode')).toBe(mode);
    expect(after(argv, '--allowedTools')).toMatch(allowed);
    expect(after(argv, '--disallowedTools')).toMatch(taken);
    expect(argv.join(' ')).not.toMatch(/dangerously|bypass|skip-permissions/i);
  });

  it('takes program, model, effort and further arguments from the policy, and goes on with a conversation', () => {
    const { stagePolicy } = aTurn();
    const turn = aTurn({
      config: { ...config, command: ['/opt/claude', '--leading'], args: ['--add-dir', '/x'], model: 'small' },
      stagePolicy: { ...stagePolicy, effort: 'high' },
      resume: BEFORE,
    });
    const { argv, env } = claudeAdapter.command(turn);

    expect(argv.slice(0, 3)).toEqual(['/opt/claude', '--leading', '-p']);
    expect(argv.slice(-6)).toEqual(['--model', 'small', '--resume', ID, '--add-dir', '/x']);
    expect(env).toMatchObject({ CLAUDE_CODE_EFFORT_LEVEL: 'high' });
  });

  it('switches off updates and reports, keeps to its folder, and lets the config have the last word', () => {
    const { env } = claudeAdapter.command(
      aTurn({ config: { ...config, configDir: '/accounts/b', env: { CLAUDE_CODE_MAX_RETRIES: '0' } } }),
    );

    expect(env).toMatchObject({
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
    });
    expect(env).toMatchObject({ CLAUDE_CONFIG_DIR: '/accounts/b', CLAUDE_CODE_MAX_RETRIES: '0' });
  });
});

describe('a turn of Claude Code', () => {
  it('is done when its result says so and the exit code is 0', async () => {
    const usage = { tokensIn: 1000, tokensOut: 100, costMicroUsd: 7500 };

    expect(await read('success')).toEqual({
      outcome: { kind: 'done' },
      text: 'Plan: add one line to a.txt.',
      usage,
      conversation: { id: '19ef3c95-19df-4018-8009-9e4b45571090', totals: usage },
      denied: 0,
    });
  });

  it.each<[string, TurnOutcome]>([
    ['success-edit', { kind: 'done' }],
    ['lookalike', { kind: 'done' }],
    ['denied', { kind: 'done' }],
    ['usage-warning', { kind: 'done' }],
    ['rate-limit', { kind: 'rate_limited', afterMs: 2000, why: '(429) · Rate limit reached' }],
    ['rate-limit-no-delay', { kind: 'rate_limited', afterMs: null, why: '(429) · Rate limit reached' }],
    ['usage-limit', { kind: 'usage_limit', until: '2026-11-22T01:36:13.000Z', why: "You've hit your session limit" }],
    [
      'usage-limit-words',
      { kind: 'usage_limit', until: '2026-11-21T14:01:00.000Z', why: "You've hit your session limit" },
    ],
    ['usage-limit-key', { kind: 'usage_limit', until: null, why: "would exceed your account's rate limit" }],
    ['quota', { kind: 'usage_limit', until: null, why: 'You exceeded your current quota' }],
    ['credit', { kind: 'usage_limit', until: null, why: 'Credit balance is too low' }],
    ['overloaded', { kind: 'transient', why: 'API Error: 529 Overloaded' }],
    ['http-500', { kind: 'transient', why: 'API Error: 500' }],
    ['reset', { kind: 'transient', why: 'Unable to connect to API (ECONNRESET)' }],
    ['no-network', { kind: 'transient', why: 'Connection refused' }],
    ['overflow', { kind: 'overflow', why: 'Prompt is too long' }],
    ['too-large', { kind: 'overflow', why: 'Request too large' }],
    ['org-blocked', { kind: 'hard', why: 'log in with: claude auth login: Your organization has disabled' }],
    ['not-logged-in', { kind: 'hard', why: 'log in with: claude auth login: Not logged in' }],
    ['bad-key', { kind: 'hard', why: 'log in with: claude auth login: Invalid API key' }],
    ['unknown-conversation', { kind: 'transient', fresh: true, why: 'No conversation found' }],
    ['used-session', { kind: 'hard', why: 'is already in use' }],
    ['refused', { kind: 'refused', why: 'Usage Policy' }],
    ['max-turns', { kind: 'hard', why: 'the agent failed: it ended as error_max_turns' }],
    ['killed', { kind: 'hard', why: 'the agent died of signal SIGKILL without its final event' }],
  ])('is judged by its table: %s', async (name, outcome) => {
    const { outcome: found } = await read(name);

    expect(found).toEqual('why' in outcome ? { ...outcome, why: expect.stringContaining(outcome.why) } : outcome);
  });

  it('is no success with exit code 1, and no success by exit code 0 alone', async () => {
    expect((await read('success', { exit: { exitCode: 1 } })).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('exited with code 1'),
    });
    expect((await read('bad-key', { exit: { exitCode: 0 } })).outcome).toMatchObject({ kind: 'hard' });
    expect((await read('killed', { exit: { exitCode: 0, signal: null } })).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('final event'),
    });
  });

  it('names the folder of the account in the command that logs in', async () => {
    const { outcome } = await read('not-logged-in', { turn: { config: { ...config, configDir: '/accounts/b' } } });

    expect(outcome).toMatchObject({
      why: expect.stringContaining("log in with: CLAUDE_CONFIG_DIR='/accounts/b' claude auth login"),
    });
  });

  it('that was ended while it waited for a rate limit is rate limited; one that only stalled is a timeout', async () => {
    expect((await read('rate-limit-waiting', { exit: { reason: 'stalled' } })).outcome).toMatchObject({
      kind: 'rate_limited',
      afterMs: 33_000,
    });
    expect((await read('hang', { exit: { reason: 'stalled' } })).outcome).toMatchObject({ kind: 'timeout' });
    expect((await read('killed', { exit: { reason: 'interrupted' } })).outcome).toMatchObject({ kind: 'transient' });
  });

  it('that overflows in an earlier conversation begins a new one', async () => {
    expect((await read('overflow', { turn: { resume: BEFORE } })).outcome).toMatchObject({
      kind: 'transient',
      fresh: true,
    });
  });

  it('counts what was refused, and calls of tools that its level takes away', async () => {
    expect((await read('denied')).denied).toBe(1);
    expect((await read('denied-edit')).denied).toBe(1);
  });

  it('that goes on keeps the name of its conversation, and adds up what each turn used', async () => {
    const first = await read('resume-first');
    const second = await read('resume-second', { turn: { resume: first.conversation } });

    expect(second.usage).toEqual(first.usage);
    expect(second.conversation).toEqual({
      id: first.conversation?.id,
      totals: { tokensIn: 2000, tokensOut: 200, costMicroUsd: 15_000 },
    });
  });

  it('that goes on tells its own usage, whether the version tells the turn or the whole conversation', async () => {
    const whole = await read('resumed-whole', { turn: { resume: BEFORE } });
    const alone = await read('resumed-turn', { turn: { resume: BEFORE } });

    expect(whole.usage).toEqual({ tokensIn: 1000, tokensOut: 40, costMicroUsd: 3600 });
    expect(whole.conversation?.totals).toEqual({ tokensIn: 2000, tokensOut: 80, costMicroUsd: 7200 });
    expect(alone.usage).toEqual({ tokensIn: 1100, tokensOut: 50, costMicroUsd: 4000 });
    expect(alone.conversation?.totals).toEqual({ tokensIn: 2100, tokensOut: 90, costMicroUsd: 7600 });
  });

  it('that was killed tells no usage and keeps the sums of its conversation', async () => {
    const { usage, conversation } = await read('killed', { turn: { resume: BEFORE } });

    expect(usage).toEqual({ tokensIn: null, tokensOut: null, costMicroUsd: null });
    expect(conversation).toEqual(BEFORE);
  });
});

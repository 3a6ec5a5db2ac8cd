/** Codex: its command line at each level of tools, and each row of its table by a transcript. */
import { describe, expect, it } from '@jest/globals';
import { codexAdapter } from '../../../activities/agent/adapters/codex/codex-adapter.js';
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import type { AgentConfig, ToolLevel } from '../../../protocol/run/policy.js';
import { readTranscript } from './transcript.js';
import { aTurn } from './turn-builder.js';

const config: AgentConfig = { adapter: 'codex', command: null, args: [], env: {}, model: null, fallback: null };
const read = (name: string, given?: Parameters<typeof readTranscript>[2]) => readTranscript('codex', name, given);
const ID = '0199a213-81c0-7800-8aa1-bbab2a035a53';
const BEFORE = { id: ID, totals: { tokensIn: 2000, tokensOut: 100, costMicroUsd: null } };

describe('the command of Codex', () => {
  it.each<[ToolLevel, string]>([
    ['read', 'read-only'],
    ['edit', 'workspace-write'],
    ['run', 'workspace-write'],
  ])('at the level %s runs in the sandbox %s, never asks and reads the prompt from stdin', (tools, sandbox) => {
    const { argv, stdin } = codexAdapter.command(aTurn({ config, tools, prompt: 'do it' }));

    expect(argv.slice(0, 7)).toEqual(['codex', 'exec', '--json', '--color', 'never', '--skip-git-repo-check', '-s']);
    expect(argv[7]).toBe(sandbox);
    expect(argv).toContain('approval_policy="never"');
    expect(argv.at(-1)).toBe('-');
    expect(stdin).toBe('do it');
    expect(argv.join(' ')).not.toMatch(/dangerously|bypass|full-auto|danger-full-access/i);
  });

  it('takes no word of the repository for trusted, though its person trusts it', () => {
    const { argv } = codexAdapter.command(aTurn({ config, cwd: '/home/ada/with "quotes"' }));

    expect(argv).toContain('projects={"/home/ada/with \\"quotes\\""={trust_level="untrusted"}}');
  });

  it('goes on with a conversation behind all of its options', () => {
    const argv = codexAdapter.command(
      aTurn({ config: { ...config, model: 'm', args: ['-c', 'x=1'] }, resume: BEFORE }),
    ).argv;

    expect(argv.slice(-7)).toEqual(['-m', 'm', '-c', 'x=1', 'resume', ID, '-']);
  });

  it('switches off reports and updates, takes the effort, and keeps to its folder', () => {
    const { stagePolicy } = aTurn();
    const turn = aTurn({
      config: { ...config, configDir: '/accounts/b' },
      stagePolicy: { ...stagePolicy, effort: 'high' },
    });
    const { argv, env } = codexAdapter.command(turn);

    expect(argv).toEqual(
      expect.arrayContaining([
        'analytics.enabled=false',
        'check_for_update_on_startup=false',
        'model_reasoning_effort="high"',
      ]),
    );
    expect(env).toMatchObject({ CODEX_HOME: '/accounts/b' });
  });
});

describe('a turn of Codex', () => {
  it('is done when it says that the turn is completed and the exit code is 0', async () => {
    const usage = { tokensIn: 1000, tokensOut: 100, costMicroUsd: null };

    expect(await read('success')).toEqual({
      outcome: { kind: 'done' },
      text: 'Plan: add one line to a.txt.',
      usage,
      conversation: { id: '01a200af-036c-7682-9d8c-eff8642b6833', totals: usage },
      denied: 0,
    });
  });

  it.each<[string, TurnOutcome]>([
    ['success-edit', { kind: 'done' }],
    ['lookalike', { kind: 'done' }],
    ['denied-tool', { kind: 'done' }],
    ['recovered', { kind: 'done' }],
    ['rate-limit', { kind: 'rate_limited', afterMs: null, why: 'last status: 429' }],
    ['usage-limit-no-time', { kind: 'usage_limit', until: null, why: "You've hit your usage limit" }],
    ['quota', { kind: 'usage_limit', until: null, why: 'Quota exceeded' }],
    ['workspace-credits', { kind: 'usage_limit', until: null, why: 'out of credits' }],
    ['login-expired', { kind: 'hard', why: 'log in with: codex login: Your access token could not be refreshed' }],
    ['credit', { kind: 'hard', why: 'Your credit balance is too low' }],
    ['overflow', { kind: 'overflow', why: 'ran out of room' }],
    ['http-500', { kind: 'transient', why: 'currently experiencing high demand' }],
    ['overloaded', { kind: 'transient', why: 'unexpected status 529' }],
    ['reset', { kind: 'transient', why: 'stream disconnected' }],
    ['bad-key', { kind: 'hard', why: 'log in with: codex login: unexpected status 401' }],
    ['no-key', { kind: 'hard', why: 'log in with: codex login: Missing environment variable' }],
    ['unknown-conversation', { kind: 'transient', fresh: true, why: 'no rollout found' }],
    ['question', { kind: 'needs_input', why: 'the agent asks: Which database?' }],
    ['killed', { kind: 'hard', why: 'died of signal SIGKILL without its final event' }],
  ])('is judged by its table: %s', async (name, outcome) => {
    const { outcome: found } = await read(name);

    expect(found).toEqual('why' in outcome ? { ...outcome, why: expect.stringContaining(outcome.why) } : outcome);
  });

  it('waits for the reset that its words tell, in the time of this host', async () => {
    const exit = { endedAt: new Date(2026, 10, 22, 0, 37).toISOString() };

    expect((await read('usage-limit', { exit })).outcome).toMatchObject({
      kind: 'usage_limit',
      until: new Date(2026, 10, 22, 1, 37).toISOString(),
    });
  });

  it('that hangs and is ended is a timeout', async () => {
    expect((await read('hang', { exit: { reason: 'stalled' } })).outcome).toMatchObject({ kind: 'timeout' });
    expect((await read('no-network', { exit: { reason: 'timed_out' } })).outcome).toMatchObject({ kind: 'timeout' });
  });

  it('is no success with exit code 1, and none by exit code 0 alone', async () => {
    expect((await read('success', { exit: { exitCode: 1 } })).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('exited with code 1'),
    });
    expect((await read('http-500', { exit: { exitCode: 0 } })).outcome).toMatchObject({ kind: 'transient' });
    expect((await read('killed', { exit: { exitCode: 0, signal: null } })).outcome).toMatchObject({ kind: 'hard' });
  });

  it('counts what was declined, and takes a warning for none', async () => {
    expect((await read('declined')).denied).toBe(1);
    expect((await read('denied')).denied).toBe(1);
    expect((await read('success')).denied).toBe(0);
  });

  it('that goes on tells what it added to its conversation', async () => {
    const first = await read('resume-first');
    const second = await read('resume-second', { turn: { resume: first.conversation } });

    expect(second.usage).toEqual({ tokensIn: 1000, tokensOut: 100, costMicroUsd: null });
    expect(second.conversation).toEqual({
      id: first.conversation?.id,
      totals: { tokensIn: 2000, tokensOut: 200, costMicroUsd: null },
    });
  });

  it('whose conversation began to count again tells all that it was told', async () => {
    const totals = { tokensIn: 9000, tokensOut: 100, costMicroUsd: null };

    expect((await read('resume-second', { turn: { resume: { id: ID, totals } } })).usage).toEqual({
      tokensIn: 2000,
      tokensOut: 200,
      costMicroUsd: null,
    });
  });
});

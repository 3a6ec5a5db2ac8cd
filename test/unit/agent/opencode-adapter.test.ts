/** OpenCode: its command line and rules at each level of tools, and each row of its table by a transcript. */
import { describe, expect, it } from '@jest/globals';
import { opencodeAdapter } from '../../../activities/agent/adapters/opencode/opencode-adapter.js';
import { OpencodeEvents } from '../../../activities/agent/adapters/opencode/opencode-events.js';
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import type { AgentConfig, ToolLevel } from '../../../protocol/run/policy.js';
import { readTranscript } from './transcript.js';
import { aTurn } from './turn-builder.js';

const config: AgentConfig = { adapter: 'opencode', command: null, args: [], env: {}, model: null, fallback: null };
const read = (name: string, given?: Parameters<typeof readTranscript>[2]) => readTranscript('opencode', name, given);
const ID = 'ses_5f2c1f0b4ffeA1b2C3d4E5f6G7';

describe('the command of OpenCode', () => {
  it('prints JSON events, logs warnings, and has model, effort, conversation and further arguments', () => {
    const { stagePolicy } = aTurn();
    const resume = { id: ID, totals: { tokensIn: null, tokensOut: null, costMicroUsd: null } };
    const turn = aTurn({
      config: { ...config, model: 'mock/m', args: ['--thinking'] },
      stagePolicy: { ...stagePolicy, effort: 'high' },
      resume,
    });
    const { argv, stdin } = opencodeAdapter.command(turn);

    expect(argv).toEqual([
      'opencode',
      'run',
      '--format',
      'json',
      '--print-logs',
      '--log-level',
      'WARN',
      '-m',
      'mock/m',
      '--variant',
      'high',
      '-s',
      ID,
      '--thinking',
    ]);
    expect(stdin).toBe(turn.prompt);
  });

  it.each<[ToolLevel, object]>([
    ['read', { edit: 'deny', bash: { '*': 'deny', 'git diff *': 'allow' }, webfetch: 'deny' }],
    ['edit', { edit: 'allow', bash: { '*': 'deny' } }],
    ['run', { edit: 'allow', bash: 'allow' }],
  ])('at the level %s has its rules, none of which asks', (tools, rules) => {
    const { argv, env } = opencodeAdapter.command(aTurn({ config, tools }));
    const permission: unknown = JSON.parse(env['OPENCODE_PERMISSION'] ?? '');

    expect(permission).toMatchObject({
      ...rules,
      external_directory: tools === 'run' ? 'allow' : 'deny',
      question: 'deny',
    });
    expect(env['OPENCODE_PERMISSION']).not.toContain('"ask"');
    expect(argv.join(' ')).not.toMatch(/auto|yolo|dangerously/i);
  });

  it.each<[string, boolean]>([
    ['git diff', true],
    ['git diff HEAD~1 -- a.txt', true],
    ['git log -p --format=%h', true],
    ['ls -la src', true],
    ['git difftool --extcmd=x -y HEAD', false],
    ['git diff --output=/home/ada/.bashrc', false],
    ['git log --format=x --output /tmp/x', false],
    ['git show --ext-diff', false],
    ['git diff > x', false],
    ['git diff "$(id)"', false],
    ['git diff --out""put=x', false],
    ['git diff --out\\put=x', false],
    ['lsof', false],
    ['rm -rf .', false],
  ])('at the level read looks by git and lists, and writes and starts nothing by them: %s', (line, allowed) => {
    const { env } = opencodeAdapter.command(aTurn({ config, tools: 'read' }));
    // As the CLI reads them: `*` is any text, and the last rule that fits counts.
    const { bash } = JSON.parse(env['OPENCODE_PERMISSION'] ?? '') as { bash: Record<string, string> };
    const fits = (pattern: string) =>
      new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's').test(line);

    expect(Object.entries(bash).findLast(([pattern]) => fits(pattern))?.[1]).toBe(allowed ? 'allow' : 'deny');
  });

  it('switches off updates, sharing and the config of the repository, and starts in the worktree', () => {
    const { env } = opencodeAdapter.command(aTurn({ config, cwd: '/worktree' }));

    expect(env).toMatchObject({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      PWD: '/worktree',
    });
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({ autoupdate: false, share: 'disabled' });
  });

  it('keeps login and settings of an account below its folder', () => {
    const { env } = opencodeAdapter.command(aTurn({ config: { ...config, configDir: '/accounts/b' } }));

    expect(env).toMatchObject({
      XDG_CONFIG_HOME: '/accounts/b/config',
      XDG_DATA_HOME: '/accounts/b/data',
      XDG_STATE_HOME: '/accounts/b/state',
    });
  });
});

describe('a turn of OpenCode', () => {
  it('is done when its last step stopped by itself and the exit code is 0', async () => {
    const usage = { tokensIn: 3000, tokensOut: 300, costMicroUsd: 3600 };

    expect(await read('success-edit')).toEqual({
      outcome: { kind: 'done' },
      text: 'Added a line to a.txt.',
      usage,
      conversation: { id: 'ses_dff4f523cffenlsi2Sqts7izb2', totals: usage },
      denied: 0,
    });
  });

  it('answers with the texts of its last step, without what the CLI put in', async () => {
    expect((await read('several-texts')).text).toBe('Done.\nReally.');
    expect((await read('overflow')).text).toBe('A title');
    const events = new OpencodeEvents();
    for (const part of [{ text: 'Done.' }, { text: 'Go on.', synthetic: true }]) events.take({ type: 'text', part });
    expect(events.text).toBe('Done.');
  });

  it.each<[string, TurnOutcome]>([
    ['success', { kind: 'done' }],
    ['lookalike', { kind: 'done' }],
    ['denied', { kind: 'done' }],
    ['denied-rule', { kind: 'done' }],
    ['auto-rejected', { kind: 'hard', why: 'a call of a tool was refused' }],
    ['rate-limit', { kind: 'rate_limited', afterMs: 2000, why: 'Rate limit reached' }],
    ['overflow', { kind: 'overflow', why: 'exceeds the context window' }],
    ['server-error', { kind: 'transient', why: 'Internal Server Error' }],
    ['not-logged-in', { kind: 'hard', why: 'log in with: opencode auth login: API key is missing' }],
    ['bad-key', { kind: 'hard', why: 'log in with: opencode auth login: invalid x-api-key' }],
    ['quota', { kind: 'usage_limit', until: null, why: 'exceeded your current quota' }],
    ['no-credit', { kind: 'usage_limit', until: null, why: 'Insufficient credits' }],
    ['first-start', { kind: 'transient', why: 'its own database refused it' }],
    ['filtered', { kind: 'refused', why: 'a filter of the provider' }],
    ['other-error', { kind: 'hard', why: 'something else' }],
    ['unknown-conversation', { kind: 'transient', fresh: true, why: 'Session not found' }],
    ['cut', { kind: 'hard', why: 'limit of output' }],
    ['killed', { kind: 'hard', why: 'died of signal SIGKILL without its final event' }],
  ])('is judged by its table: %s', async (name, outcome) => {
    const { outcome: found } = await read(name);

    expect(found).toEqual('why' in outcome ? { ...outcome, why: expect.stringContaining(outcome.why) } : outcome);
  });

  it('is no success with exit code 1, and none by exit code 0 alone', async () => {
    expect((await read('success', { exit: { exitCode: 1 } })).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('exited with code 1'),
    });
    expect((await read('other-error', { exit: { exitCode: 0 } })).outcome).toMatchObject({ kind: 'hard' });
    expect((await read('killed', { exit: { exitCode: 0, signal: null } })).outcome).toMatchObject({ kind: 'hard' });
  });

  it('that was ended while it waited is what its log tells last: a limit, else a timeout', async () => {
    const exit = { reason: 'stalled' } as const;

    expect((await read('rate-limit-waiting', { exit })).outcome).toMatchObject({ kind: 'rate_limited', afterMs: null });
    expect((await read('usage-limit-waiting', { exit })).outcome).toMatchObject({ kind: 'usage_limit', until: null });
    expect((await read('http-500-waiting', { exit })).outcome).toMatchObject({
      kind: 'timeout',
      why: expect.stringContaining('Internal server error'),
    });
    expect((await read('hang', { exit })).outcome).toMatchObject({ kind: 'timeout' });
  });

  it('that goes on tells the usage of the turn alone', async () => {
    const first = await read('resume-first');
    const second = await read('resume-second', { turn: { resume: first.conversation } });

    expect(second.usage).toEqual({ tokensIn: 1000, tokensOut: 100, costMicroUsd: 1200 });
    expect(second.conversation?.id).toBe(first.conversation?.id);
  });

  it.each([
    ['success', 0],
    ['denied', 1],
    ['denied-rule', 1],
    ['auto-rejected', 1],
  ])('counts what was refused: %s', async (name, denied) => {
    expect((await read(name)).denied).toBe(denied);
  });
});

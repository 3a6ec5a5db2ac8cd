/** What the guard is given for a turn of an ACP agent: our client with the agent's command behind it; the turn by stdin alone. */
import { describe, expect, it } from '@jest/globals';
import { createAcpAdapter } from '../../../activities/agent/adapters/acp/acp-adapter.js';
import { readSpec } from '../../../activities/agent/adapters/acp/turn-spec.js';
import type { TurnRequest } from '../../../activities/agent/contract.js';
import { aTurn } from './turn-builder.js';

const adapter = createAcpAdapter(['/dist/acp/main.js']);
const config = { ...aTurn().config, adapter: 'acp' as const, command: ['gemini', '--acp'] as const, args: ['--debug'] };
const commandOf = (turn: Partial<TurnRequest> = {}) => adapter.command(aTurn({ config, ...turn }));

describe('the command of an ACP agent', () => {
  it('is our client, which starts the program that is named at `starts`', () => {
    const { argv, starts } = commandOf();

    expect(argv).toEqual([process.execPath, '/dist/acp/main.js', 'gemini', '--acp', '--debug']);
    expect(argv[starts ?? -1]).toBe('gemini');
  });

  it('tells the turn by stdin, and neither by arguments nor by variables', () => {
    const resume = { id: 'old-1', totals: { tokensIn: null, tokensOut: null, costMicroUsd: null } };
    const permissionAnswers = [{ key: 'the-key', option: { id: 'y', name: 'Allow', kind: 'allow_once' } }];
    const stagePolicy = { ...aTurn().stagePolicy, model: 'm1' };
    const turn = { prompt: 'judge ab12cd34\n\nnow\n', tools: 'edit', resume, permissionAnswers, stagePolicy } as const;

    const { argv, env, stdin } = commandOf(turn);

    expect(readSpec(stdin)).toEqual({
      spec: {
        cwd: '/worktree',
        program: 'gemini-cli',
        tools: 'edit',
        asks: false,
        model: 'm1',
        resume: 'old-1',
        answers: permissionAnswers,
      },
      prompt: turn.prompt,
    });
    expect(JSON.stringify([argv, env])).not.toMatch(/ab12cd34|old-1|the-key/);
  });

  it.each([
    ['auto', false],
    ['accept-edits', true],
    ['ask', true],
    ['read-only', false],
  ] as const)('asks people in a run with permissions: %s as it should: %s', (permissions, asks) => {
    expect(readSpec(commandOf({ permissions }).stdin).spec.asks).toBe(asks);
  });

  it('names the folder of the login as the program takes it', () => {
    const codex = { ...config, command: ['/opt/bin/codex-acp'] as const, configDir: '/accounts/b' };

    expect(commandOf({ config: codex }).env).toMatchObject({ CODEX_HOME: '/accounts/b' });
  });

  it('gives the programs that it knows their switches, and no other', () => {
    const envOf = (program: string) => commandOf({ config: { ...config, command: [program] as const } }).env;

    expect(envOf('/opt/bin/claude-agent-acp')).toMatchObject({
      CLAUDE_CODE_MAX_RETRIES: '2',
      DISABLE_AUTOUPDATER: '1',
    });
    expect(envOf('gemini')).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: 'false' });
    expect(envOf('opencode')).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' });
    expect(Object.keys(envOf('other')).filter((name) => /CLAUDE|GEMINI/.test(name))).toEqual([]);
  });

  it('refuses an agent without a program', () => {
    expect(() => commandOf({ config: { ...config, command: null } })).toThrow(
      'needs a program that speaks the Agent Client Protocol',
    );
  });
});

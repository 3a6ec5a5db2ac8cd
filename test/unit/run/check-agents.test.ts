import { describe, expect, it } from '@jest/globals';
import { checkAgents } from '../../../activities/opening/check-agents.js';
import type { AgentConfig, Policy } from '../../../protocol/run/policy.js';

const anAgent = (command: string, fallback: string | null = null): AgentConfig => ({
  adapter: 'command',
  command: [command],
  args: [],
  env: {},
  model: null,
  fallback,
});

function check(agents: Record<string, AgentConfig>, path = '/usr/bin:/bin'): void {
  const stagePolicies = { planning: { agent: 'own' } };
  // All that the check reads of a policy.
  const execute = { until: 'once', stepCheck: 'validation' };
  const policy = { stages: ['planning', 'validating'], agents, stagePolicies, execute } as unknown as Policy;
  const repository = {
    root: '/repository',
    commonDir: '/repository/.git',
    gitDir: '/repository/.git',
    project: 'repository',
  };
  checkAgents(policy, { env: { PATH: path }, repository, worktree: '/worktree' });
}

describe('the agents of a run', () => {
  it('are checked with what stands in for them, and no further', () => {
    expect(() =>
      check({ own: anAgent('/bin/sh', 'other'), other: anAgent('sh', 'third'), unused: anAgent('no-such-program') }),
    ).not.toThrow();
  });

  it.each([
    ['claude-code', 'claude'],
    ['codex', 'codex'],
    ['opencode', 'opencode'],
  ] as const)('that are a coding CLI are looked for by its name: %s', (adapter, program) => {
    const own: AgentConfig = { ...anAgent(''), adapter, command: null };
    const refusal = `the program of agent "own" cannot be run: ${program} is not on PATH.`;

    expect(() => check({ own }, '/nowhere')).toThrow(
      expect.objectContaining({ type: 'BadAgent', message: expect.stringContaining(refusal) }),
    );
    expect(() => check({ own }, '/nowhere')).toThrow('Install it, or say where it is by agents.own.command');
    expect(() => check({ own: { ...own, command: ['/bin/sh'] } }, '/nowhere')).not.toThrow();
  });

  it.each<[string, Record<string, AgentConfig>, string]>([
    ['an unknown agent', {}, 'the agent "own" is not configured'],
    ['an unknown stand-in', { own: anAgent('/bin/sh', 'other') }, 'the agent "other" is not configured'],
    [
      'a stand-in that cannot be run',
      { own: anAgent('sh', 'other'), other: anAgent('no-such-program') },
      'agent "other" cannot be run',
    ],
  ])('are refused with %s', (_what, agents, message) => {
    expect(() => check(agents)).toThrow(
      expect.objectContaining({ type: 'BadAgent', message: expect.stringContaining(message) }),
    );
  });
});

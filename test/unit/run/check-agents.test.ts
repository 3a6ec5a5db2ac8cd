import { describe, expect, it } from '@jest/globals';
import { checkAgents } from '../../../activities/run/check-agents.js';
import type { AgentConfig, Policy } from '../../../protocol/policy.js';

const anAgent = (command: string, fallback: string | null = null): AgentConfig => ({
  adapter: 'command',
  command: [command],
  args: [],
  env: {},
  model: null,
  fallback,
});

function check(agents: Record<string, AgentConfig>): void {
  const stagePolicies = { planning: { agent: 'own' } };
  // All that the check reads of a policy.
  const policy = { stages: ['planning', 'validating'], agents, stagePolicies } as unknown as Policy;
  const repository = { root: '/repository', commonDir: '/repository/.git', gitDir: '/repository/.git', project: 'repository' };
  checkAgents(policy, { env: { PATH: '/usr/bin:/bin' }, repository, worktree: '/worktree' });
}

describe('the agents of a run', () => {
  it('are checked with what stands in for them, and no further', () => {
    expect(() =>
      check({ own: anAgent('/bin/sh', 'other'), other: anAgent('sh', 'third'), unused: anAgent('no-such-program') }),
    ).not.toThrow();
  });

  it.each<[string, Record<string, AgentConfig>, string]>([
    ['an unknown agent', {}, 'the agent "own" is not configured'],
    ['an unknown stand-in', { own: anAgent('/bin/sh', 'other') }, 'the agent "other" is not configured'],
    ['a stand-in that cannot be run', { own: anAgent('sh', 'other'), other: anAgent('no-such-program') }, 'agent "other" cannot be run'],
  ])('are refused with %s', (_what, agents, message) => {
    expect(() => check(agents)).toThrow(expect.objectContaining({ type: 'BadAgent', message: expect.stringContaining(message) }));
  });
});

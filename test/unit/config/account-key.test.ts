import { describe, expect, it } from '@jest/globals';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { runPolicyOf } from '../../../config/resolve/run-policy.js';

const resolve = (text: string) => resolvePolicy({ user: { text, name: 'config.yaml' } }).policy;

describe('agents.<name>.account', () => {
  it('names whose usage limit the agent works under, also to the workflow', () => {
    const policy = resolve(
      'agent: one\nagents: {one: {command: robot, account: work}, two: {command: robot}}\nstages: {reviewing: {agent: two}}',
    );
    const { agentOf } = runPolicyOf(policy);

    expect(policy.agents['one']).toMatchObject({ account: 'work' });
    expect(policy.agents['two']).not.toHaveProperty('account');
    expect([agentOf.executing?.account, agentOf.reviewing?.account]).toEqual(['robot/work', 'robot/default']);
  });

  it.each(['a/b', '.hidden', '-x', 'two words'])('refuses "%s", which could not stand in an id', (account) => {
    expect(() => resolve(`agents: {one: {command: robot, account: "${account}"}}`)).toThrow(
      'must be a name of letters, digits',
    );
  });

  it('makes a project file one that needs trust, like the agent itself', () => {
    expect(() => resolvePolicy({ runInput: { policy: { agents: { one: { account: 'work' } } } } })).toThrow();
  });
});

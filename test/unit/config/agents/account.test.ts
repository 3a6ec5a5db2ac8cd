import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ACCOUNT, accountOf } from '../../../../config/agents/account.js';
import { ADAPTERS } from '../../../../protocol/run/policy.js';

type AccountConfig = Parameters<typeof accountOf>[1];

const aConfig = (over: Partial<AccountConfig> = {}): AccountConfig => ({
  adapter: 'command',
  command: ['robot'],
  ...over,
});

describe('the account of an agent', () => {
  it.each([
    ['claude', { adapter: 'claude-code', command: null }, 'anthropic/default'],
    ['other', { adapter: 'claude-code', command: null, account: 'work' }, 'anthropic/work'],
    ['c', { adapter: 'codex', command: null }, 'openai/default'],
    ['o', { adapter: 'opencode', command: null }, 'opencode/default'],
    ['m', { adapter: 'model', command: null, provider: 'anthropic' }, 'anthropic/default'],
    ['m', { adapter: 'model', command: null, provider: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }, 'openai/default'],
    [
      'm',
      { adapter: 'model', command: null, provider: 'openai-compatible', baseUrl: 'https://LLM.example.com:8000/v1' },
      'llm.example.com-8000/default',
    ],
    ['m', { adapter: 'model', command: null }, 'm/default'],
    ['g', { adapter: 'acp', command: ['gemini', '--acp'] }, 'google/default'],
    ['a', { adapter: 'acp', command: ['/opt/bin/claude-agent-acp'] }, 'anthropic/default'],
    ['b', { adapter: 'acp', command: ['robot'] }, 'robot/default'],
    ['any', {}, 'robot/default'],
    ['any', { command: ['/opt/bin/robot'] }, 'robot/default'],
    ['wrapped', { command: ['sh', '-c', 'robot'] }, 'wrapped/default'],
    ['wrapped', { command: ['/usr/bin/node', 'robot.js'], account: 'two' }, 'wrapped/two'],
    ['script', { adapter: 'scripted', command: null, account: 'shared' }, 'script/shared'],
    ['odd', { command: ['/opt/my robot/'], account: '../etc' }, 'my-robot/etc'],
    ['odd', { command: ['/___'] }, 'odd/default'],
  ] as const)('%s of %j is %s', (name, config, account) => {
    expect(accountOf(name, aConfig(config))).toBe(account);
  });

  it('is another for another folder of the same name, and tells no path', () => {
    const [one, two] = ['/home/ada/.claude', '/srv/ada/.claude'].map((configDir) =>
      accountOf('c', aConfig({ adapter: 'claude-code', configDir })),
    );

    expect(one).toMatch(/^anthropic\/claude-[0-9a-f]{8}$/);
    expect(two).toMatch(/^anthropic\/claude-[0-9a-f]{8}$/);
    expect(one).not.toBe(two);
  });

  it('of a scripted agent is that of its fixture: what one plays limits no other', () => {
    const of = (path: string) => accountOf('script', aConfig({ adapter: 'scripted', command: null, args: [path] }));

    expect(of('/a.json')).toBe(of('/a.json'));
    expect(of('/a.json')).not.toBe(of('/b.json'));
  });

  it('is fit for an id, whatever the config holds', () => {
    const text = fc.string({ maxLength: 200 });
    fc.assert(
      fc.property(
        text,
        text,
        fc.option(text),
        fc.option(text),
        fc.constantFrom(...ADAPTERS),
        (name, program, account, configDir, adapter) => {
          expect(
            accountOf(name, {
              adapter,
              command: [program],
              provider: program,
              baseUrl: program,
              args: [program],
              account,
              configDir,
            }),
          ).toMatch(ACCOUNT);
        },
      ),
    );
  });
});

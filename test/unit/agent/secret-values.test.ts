import { describe, expect, it } from '@jest/globals';
import { collectSecretValues } from '../../../activities/agent/environment/secret-values.js';

const secrets = (given: Record<string, string>, captured: Record<string, string> = {}) =>
  collectSecretValues({ captured, given: [given] });

describe('a value that is given to an agent', () => {
  it.each([
    ['a key', 'ANTHROPIC_API_KEY', 'sk-ant-1'],
    ['a short one whose name tells', 'DB_PASSWORD', 'hunter2'],
    ['a number whose name tells', 'PIN_SECRET', '12345678'],
    ['one that begins like a path, whose name tells', 'AWS_SECRET_ACCESS_KEY', '/wJalrXUtnFEMIK7MDENG'],
    ['one of any name', 'CORP_LOGIN', 'swordfish-9'],
    ['one that only begins like a word of the engine', 'CORP_LOGIN', 'planning-9'],
    ['base64 that begins like a path', 'CORP_LOGIN', '/wJalr+XUtnFEMI='],
    ['an address with a password', 'CORP_PROXY', 'http://me:pw@proxy:8080'],
    ['an address with a key in its path', 'CORP_HOOK', 'https://hooks.example/T0/abcdefghijklmnopqrstuvwx'],
  ])('is a secret: %s', (_what, name, value) => {
    expect(secrets({ [name]: value })).toEqual([value]);
  });

  it.each([
    ['a path', 'CLAUDE_CONFIG_DIR', '/home/person/.claude'],
    ['a list of paths', 'EXTRA', '/usr/local/bin:~/bin:../tools'],
    ['a number', 'MAX_THINKING', '200000000'],
    ['a word below eight characters', 'MODE', 'verbose'],
    ['a short value of a name that tells', 'X_API_KEY', 'dummy'],
    ['a model', 'ANTHROPIC_MODEL', 'claude-sonnet-4-5'],
    ['a region', 'AWS_REGION', 'eu-central-1'],
    ['the address of a provider', 'ANTHROPIC_BASE_URL', 'https://llm.example:8443/v1'],
    ['nothing', 'X_TOKEN', '   '],
    ['a kind of the journal', 'ISOLATION', 'worktree'],
    ['a status, whatever its name tells', 'X_API_KEY', 'planning'],
    ['a part of a status', 'MODE', 'merge_re'],
    ['a decision in quotes', 'MODE', '"CHANGES_REQUESTED"'],
    ['a name of what an agent answers', 'MODE', 'recommendation'],
    ['the name of a block that an agent answers', 'OUT_DIR', 'findings'],
    ['what calls a person', 'MODE', 'Human_Approval'],
    ['whether a person is called', 'MODE', 'required'],
  ])('is none: %s', (_what, name, value) => {
    expect(secrets({ [name]: value })).toEqual([]);
  });

  it('is told of what was captured by its name alone', () => {
    expect(secrets({}, { LANG: 'de_DE.UTF-8', LOGNAME: 'somebody-long', X_TOKEN: 'swordfish' })).toEqual(['swordfish']);
  });

  it('counts once, without the space around it', () => {
    expect(collectSecretValues({ captured: {}, given: [{ A_KEY: 'swordfish\n' }, { B: 'swordfish' }] })).toEqual([
      'swordfish',
    ]);
  });
});

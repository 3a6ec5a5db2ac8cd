/** The keys of the sandbox: who may open it, and who may only close it further. */
import { describe, expect, it } from '@jest/globals';
import { executes, parseConfigFile } from '../../../config/layers/parse-config.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { ConfigError } from '../../../config/system/config-error.js';

const USER = 'agents: {robot: {command: [robot], home: [~/.robot, .config/./robot/]}}\n';

function sandboxOf({
  user = '',
  project = '',
  input = {},
}: {
  user?: string;
  project?: string;
  input?: Record<string, unknown>;
}) {
  const { policy } = resolvePolicy({
    user: { text: `${USER}${user}`, name: 'user' },
    project: { text: project, name: 'project', isTrusted: true },
    runInput: { policy: input },
  });
  return policy.sandbox;
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

describe('the keys of the sandbox', () => {
  it('are auto and proxy where nobody says anything', () => {
    expect(sandboxOf({})).toEqual({ use: 'auto', network: 'proxy', allow: [], home: [] });
  });

  it('come from files, and their lists add up', () => {
    const user = 'sandbox: required\nnetwork: on\nnetworkAllow: [a.example]\nsandboxHome: [.npm]\n';
    const project = 'networkAllow: ["*.b.example", "127.0.0.1:4010"]\nsandboxHome: [.cache/tool]\n';

    expect(sandboxOf({ user, project })).toEqual({
      use: 'required',
      network: 'on',
      allow: ['*.b.example', '127.0.0.1:4010', 'a.example'],
      home: ['.cache/tool', '.npm'],
    });
  });

  it.each([
    ['sandbox', 'off', 'required', 'required'],
    ['sandbox', 'required', 'off', 'required'],
    ['sandbox', 'auto', 'off', 'auto'],
    ['network', 'on', 'off', 'off'],
    ['network', 'off', 'on', 'off'],
    ['network', 'proxy', 'on', 'proxy'],
  ])('%s: %s in a file and %s in a start input are %s', (key, inFile, inInput, result) => {
    const sandbox = sandboxOf({ user: `${key}: ${inFile}\n`, input: { [key]: inInput } });

    expect(key === 'sandbox' ? sandbox?.use : sandbox?.network).toBe(result);
  });

  it('cannot be opened by a start input where no file says anything', () => {
    expect(sandboxOf({ input: { sandbox: 'off', network: 'on' } })).toMatchObject({ use: 'auto', network: 'proxy' });
  });

  it.each([{ networkAllow: ['a.example'] }, { sandboxHome: ['.ssh'] }])(
    'have no hosts and folders from a start input: %j',
    (input) => {
      expect(refusal(() => sandboxOf({ input }))).toContain(Object.keys(input)[0]);
    },
  );

  it.each(['sandbox: off', 'network: on', 'networkAllow: [a.example]', 'sandboxHome: [.npm]'])(
    'need trust in the file of a project: %s',
    (text) => {
      expect(executes(parseConfigFile('project', { text, name: 'project' }))).toBe(true);
    },
  );

  it('have the folders of an agent in normal form', () => {
    const { policy } = resolvePolicy({ user: { text: USER, name: 'user' } });

    expect(policy.agents['robot']?.home).toEqual(['.robot', '.config/robot']);
  });

  it.each(['/etc', '..', '.ssh/../..', '~', '.', '', '~/..'])(
    'take no folder outside HOME, and not HOME itself: %j',
    (path) => {
      expect(refusal(() => sandboxOf({ user: `sandboxHome: [${JSON.stringify(path)}]\n` }))).toContain(
        'must be a path below HOME',
      );
    },
  );

  it.each(['*', 'http://a.example', 'a.example:0', '127.1:80', 'a b'])('take no host that is none: %j', (host) => {
    expect(refusal(() => sandboxOf({ user: `networkAllow: [${JSON.stringify(host)}]\n` }))).toContain(
      'must be a host such as',
    );
  });
});

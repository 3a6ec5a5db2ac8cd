/** Whether a run is sandboxed: what `off`, `auto` and `required` mean on hosts with and without bubblewrap, and for agents that are known or not. */
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { chooseSandbox, type SandboxQuestion, sandboxObservation } from '../../../activities/sandbox/choose-sandbox.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import type { AgentConfig, Policy, SandboxPolicy } from '../../../protocol/run/policy.js';
import { tempFolder } from '../../support/temp-folder.js';

const folder = tempFolder();

const home = join(folder, 'ada');
mkdirSync(join(home, '.robot'), { recursive: true });
symlinkSync(join(home, '.robot'), join(home, '.linked'));

/** A PATH on which bubblewrap is what the test says. */
function withBwrap(script: string): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'bwrap'), 0o755);
  return bin;
}

const WORKS = withBwrap('[ "$1" = --version ] && echo "bubblewrap 0.8.0"; exit 0');
const FAILS = withBwrap(
  '[ "$1" = --version ] && exit 0; echo "bwrap: No permissions to create new namespace" >&2; exit 1',
);

const CODEX: AgentConfig = { adapter: 'codex', command: null, args: [], env: {}, model: null, fallback: null };

function question(
  sandbox: Partial<SandboxPolicy>,
  agent: Partial<AgentConfig>,
  env: Readonly<Record<string, string>> = {},
): SandboxQuestion {
  const { policy } = resolvePolicy({ user: { text: 'agents: {robot: {command: [robot]}}', name: 'user' } });
  const robot = { ...policy.agents['robot'], ...agent } as AgentConfig;
  const asked: Policy = {
    ...policy,
    agents: { robot },
    sandbox: { use: 'auto', network: 'proxy', allow: [], home: [], ...sandbox },
  };
  return { policy: asked, env: { PATH: WORKS, HOME: home, ...env }, forbidden: [], hidden: [join(home, '.sluice')] };
}

describe('sandbox: auto', () => {
  it('takes a run whose agent says what it needs of HOME, even nothing', async () => {
    expect(await chooseSandbox(question({}, { home: [] }))).toEqual({ kind: 'inside', bwrap: join(WORKS, 'bwrap') });
  });

  it.each(['claude-code', 'codex', 'opencode'])('takes a run whose agent is %s, which it knows', async (adapter) => {
    // As a later version of the policy has it.
    expect((await chooseSandbox(question({}, { adapter: adapter as AgentConfig['adapter'] }))).kind).toBe('inside');
  });

  it.each(['command', 'scripted'] as const)(
    'leaves a run as it was whose agent is any program (%s), and is silent about it',
    async (adapter) => {
      const asked = question({}, { adapter });
      const choice = await chooseSandbox(asked);

      expect(choice).toEqual({
        kind: 'outside',
        why: 'nobody said what the agent robot needs of HOME (agents.robot.home)',
        expected: false,
      });
      expect(sandboxObservation(choice, asked.policy)).toEqual([]);
    },
  );

  it('looks at the fallback of an agent too', async () => {
    const asked = question({}, { home: [], fallback: 'other' });
    const other: AgentConfig = {
      adapter: 'command',
      command: ['other'],
      args: [],
      env: {},
      model: null,
      fallback: null,
    };

    expect(
      await chooseSandbox({ ...asked, policy: { ...asked.policy, agents: { ...asked.policy.agents, other } } }),
    ).toMatchObject({
      kind: 'outside',
    });
  });

  it('looks at whoever judges the steps of a plan too', async () => {
    const { policy, ...asked } = question({}, { home: [] });
    const judge: AgentConfig = { ...CODEX, adapter: 'command', command: ['judge'] };
    const judged: Policy = {
      ...policy,
      agents: { ...policy.agents, judge },
      stages: ['executing'],
      stagePolicies: { ...policy.stagePolicies, verifying: { ...policy.stagePolicies.verifying, agent: 'judge' } },
      execute: { ...policy.execute, until: 'steps', stepCheck: 'acceptance' },
    };

    expect(await chooseSandbox({ ...asked, policy: judged })).toMatchObject({
      kind: 'outside',
      why: expect.stringContaining('the agent judge'),
    });
    expect(
      await chooseSandbox({ ...asked, policy: { ...judged, execute: { ...judged.execute, stepCheck: 'none' } } }),
    ).toMatchObject({ kind: 'inside' });
  });

  it.each([
    ['bubblewrap is not there', { PATH: folder }, 'bwrap (bubblewrap) is not on PATH'],
    [
      'the kernel forbids it',
      { PATH: FAILS },
      'cannot make a sandbox here: bwrap: No permissions to create new namespace',
    ],
    ['its network goes through another proxy', { HTTPS_PROXY: 'http://proxy.example:3128' }, 'HTTPS_PROXY is set'],
  ])('runs without where %s, and says so in the journal', async (_why, env, why) => {
    const asked = question({}, { home: ['.robot'] }, env);
    const choice = await chooseSandbox(asked);

    expect(choice).toMatchObject({ kind: 'outside', expected: true, why: expect.stringContaining(why) });
    expect(sandboxObservation(choice, asked.policy)).toMatchObject([
      { type: 'sandbox.chosen', message: expect.stringContaining(`without a sandbox: `) },
    ]);
  });

  it('runs without where a folder of HOME is a symlink', async () => {
    expect(await chooseSandbox(question({ home: ['.linked'] }, { home: [] }))).toMatchObject({
      kind: 'outside',
      why: expect.stringContaining('is a symlink'),
    });
  });

  describe('where a login folder', () => {
    const codex = (env: Readonly<Record<string, string>>, more: Partial<AgentConfig> = {}) =>
      chooseSandbox(question({}, { adapter: 'codex', ...more }, env));
    const loginWith = (...links: readonly string[]) => {
      const login = mkdtempSync(join(folder, 'login-'));
      for (const name of links) symlinkSync('nowhere', join(login, name));
      return login;
    };

    it('has a link that an agent could have put there, no run is started, and none goes outside', async () => {
      for (const name of ['config.toml', 'prompts'])
        for (const more of [{}, { configDir: loginWith(name) }, { env: { CODEX_HOME: loginWith(name) } }])
          await expect(codex({ CODEX_HOME: loginWith(name) }, more)).rejects.toThrow(
            /is a symlink.*\n.*could have put it there/,
          );
      await expect(
        chooseSandbox(question({}, { adapter: 'claude-code' }, { CLAUDE_CONFIG_DIR: loginWith('.claude.json') })),
      ).rejects.toThrow('could have put it there');
      expect(await codex({ CODEX_HOME: loginWith() })).toMatchObject({ kind: 'inside' });
      expect(await codex({ CODEX_HOME: loginWith('config.toml') }, { configDir: loginWith() })).toMatchObject({
        kind: 'inside',
      });
    });

    it('has such a link on a host without a sandbox, or of an agent that the run does not use, nothing is refused', async () => {
      const env = { CODEX_HOME: loginWith('config.toml') };
      const asked = question({}, { home: [] }, env);
      const policy = { ...asked.policy, agents: { ...asked.policy.agents, codex: CODEX } };

      expect(await codex({ ...env, PATH: FAILS })).toMatchObject({
        kind: 'outside',
        why: expect.stringContaining('No permissions'),
      });
      expect(await chooseSandbox({ ...asked, policy })).toMatchObject({ kind: 'inside' });
    });

    it('is a link itself, the run is outside: no agent inside could have put it there', async () => {
      symlinkSync(loginWith('config.toml'), join(home, '.codex'));

      expect(await codex({})).toMatchObject({ kind: 'outside', why: expect.stringContaining('.codex is a symlink') });
    });

    it('has caches that are links, the run is inside without them', async () => {
      mkdirSync(join(home, '.claude'), { recursive: true });
      symlinkSync(mkdtempSync(join(folder, 'scratch-')), join(home, '.cache'));

      expect(await chooseSandbox(question({}, { adapter: 'claude-code' }))).toMatchObject({ kind: 'inside' });
    });
  });
});

describe('sandbox: required', () => {
  it('takes a run of any agent', async () => {
    expect((await chooseSandbox(question({ use: 'required' }, {}))).kind).toBe('inside');
  });

  it.each([
    ['bubblewrap is not there', { PATH: folder }],
    ['the kernel forbids it', { PATH: FAILS }],
  ])('refuses the run where %s, with the reason and what mends it', async (_why, env) => {
    await expect(chooseSandbox(question({ use: 'required' }, {}, env))).rejects.toMatchObject({
      type: 'BadConfig',
      nonRetryable: true,
      message: expect.stringMatching(
        /^sandbox is required, and there is none: .*\n.*\nNothing was started\.\nTo mend it: .*sluice doctor$/,
      ),
    });
  });
});

describe('sandbox: off', () => {
  it('asks nobody', async () => {
    expect(await chooseSandbox(question({ use: 'off' }, { home: [] }, { PATH: '' }))).toEqual({
      kind: 'outside',
      why: 'sandbox is off',
      expected: false,
    });
  });
});

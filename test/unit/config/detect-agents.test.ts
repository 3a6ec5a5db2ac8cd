/** Which coding CLIs a machine has, told from temp PATH folders with fake programs, a temp HOME and an environment of the test's own. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  agentSaysLogin,
  agentVersion,
  chooseAgent,
  detectAgents,
  type FoundAgent,
} from '../../../config/init/detect-agents.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
let folder: string;
let home: string;

beforeEach(async () => {
  folder = freshFolder();
  home = join(folder, 'home');
  mkdirSync(home);
});

function put(path: string, content: string): string {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

function program(path: string, body = 'echo 1.2.3'): string {
  const target = put(path, `#!/bin/sh\n${body}\n`);
  chmodSync(target, 0o755);
  return target;
}

function detect(env: Readonly<Record<string, string>> = {}, forbidden: readonly string[] = []): readonly FoundAgent[] {
  return detectAgents({ PATH: `${join(folder, 'a')}:${join(folder, 'b')}`, HOME: home, ...env }, forbidden);
}

describe('the coding CLIs of a machine', () => {
  it('are those on PATH that can be started, and none where an agent can write', () => {
    const codex = program('b/codex');
    put('a/codex', 'not executable');
    mkdirSync(join(folder, 'a/claude'));
    program('b/opencode');

    expect(detect().map(({ program: name, path }) => [name, path])).toEqual([
      ['codex', codex],
      ['opencode', join(folder, 'b/opencode')],
    ]);
    expect(detect({}, [join(folder, 'b')])).toEqual([]);
    expect(detect({ PATH: 'b:.' })).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    ['claude', '.claude/.credentials.json', '{"claudeAiOauth":{}}', '{}'],
    ['claude', '.claude.json', '{"oauthAccount":{"emailAddress":"x"}}', '{"numStartups":3}'],
    ['codex', '.codex/auth.json', '{"OPENAI_API_KEY":"k"}', 'broken {'],
    ['opencode', '.local/share/opencode/auth.json', '{"anthropic":{"type":"api"}}', '[]'],
    ['gemini', '.gemini/oauth_creds.json', '{"refresh_token":"x"}', ''],
  ])('%s has a login in %s, by its content', (name, file, login, none) => {
    program(`a/${name}`);
    expect(detect()[0]?.login).toEqual({ kind: 'none' });
    const path = put(`home/${file}`, none);
    expect(detect()[0]?.login).toEqual({ kind: 'none' });
    writeFileSync(path, login);

    expect(detect()[0]?.login).toEqual({ kind: 'file', where: path });
  });

  it('are told by the folder that a variable names, and by a key in the environment, of which only the name is told', () => {
    program('a/claude');
    const path = put('other/.credentials.json', '{"x":1}');

    const [elsewhere] = detect({ CLAUDE_CONFIG_DIR: join(folder, 'other') });
    expect(elsewhere).toMatchObject({ login: { kind: 'file', where: path }, passEnv: ['CLAUDE_CONFIG_DIR'] });
    const keyed = detect({
      ANTHROPIC_API_KEY: 'sk-very-secret',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_AUTH_TOKEN: '',
    });
    expect(keyed[0]).toMatchObject({
      login: { kind: 'variable', where: 'ANTHROPIC_API_KEY' },
      passEnv: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
    });
    expect(JSON.stringify(keyed)).not.toContain('sk-very-secret');
  });

  it('are passed no key where a file holds the login, and what a key needs beside it where none does', () => {
    program('a/claude');
    const env = {
      CLAUDE_CODE_USE_BEDROCK: '1',
      AWS_REGION: 'eu',
      AWS_PROFILE: '',
      CLOUD_ML_REGION: 'x',
      ANTHROPIC_BASE_URL: 'http://x',
    };
    expect(detect(env)[0]?.passEnv).toEqual(['CLAUDE_CODE_USE_BEDROCK', 'AWS_REGION', 'ANTHROPIC_BASE_URL']);
    put('home/.claude/.credentials.json', '{"claudeAiOauth":{}}');

    expect(detect({ ...env, ANTHROPIC_API_KEY: 'k' })[0]?.passEnv).toEqual(['ANTHROPIC_BASE_URL']);
  });

  it('are passed the variables that their own config names, where they are set', () => {
    program('a/codex');
    program('a/opencode');
    put(
      'home/.codex/config.toml',
      '[model_providers.mine]\nenv_key = "MY_KEY"\n  env_key=\'UNSET_KEY\'\n# env_key = "NO"\nenv_key = "SLUICE_TURN"\n',
    );
    put('home/.config/opencode/opencode.json', '{"provider":{"x":{"options":{"apiKey":"{env:THEIR_KEY}"}}}}');

    const [codex, opencode] = detect({ MY_KEY: '1', THEIR_KEY: '2', NO: '3', SLUICE_TURN: '4' });

    expect(codex).toMatchObject({ login: { kind: 'variable', where: 'MY_KEY' }, passEnv: ['MY_KEY'] });
    expect(opencode).toMatchObject({ login: { kind: 'variable', where: 'THEIR_KEY' }, passEnv: ['THEIR_KEY'] });
  });

  it.each(['SLUICE_TURN', 'TEMPORAL_API_KEY', 'GITHUB_TOKEN', 'SSH_AUTH_SOCK'])(
    'are passed no %s, whatever their own config names: sluice would refuse its own config',
    (name) => {
      program('a/codex');
      program('a/opencode');
      put('home/.codex/config.toml', `env_key = "${name}"\nenv_key = "MY_KEY"\n`);
      put('home/.config/opencode/opencode.json', `{"apiKey":"{env:${name}}","other":"{env:MY_KEY}"}`);

      const found = detect({ [name]: '1', MY_KEY: '2' });

      expect(found.map(({ passEnv }) => passEnv)).toEqual([['MY_KEY'], ['MY_KEY']]);
      expect(found.map(({ login }) => login)).toEqual(Array(2).fill({ kind: 'variable', where: 'MY_KEY' }));
    },
  );

  it('are told with the hosts of providers that they were pointed at, and with nothing else of an address', () => {
    for (const name of ['claude', 'codex', 'opencode']) program(`a/${name}`);
    put(
      'home/.codex/config.toml',
      'base_url = "http://localhost:4010/v1"\n# base_url = "http://no.example"\nbase_url = \'https://llm.example/x?key=k\'\n',
    );
    put(
      'home/.config/opencode/opencode.json',
      '{"provider":{"x":{"options":{"baseURL": "http://10.0.0.7/v1"}},"y":{"baseURL":"{env:Y}"}}}',
    );

    const found = detect({ ANTHROPIC_BASE_URL: 'https://me:pw@proxy.example:8443/path', OPENAI_BASE_URL: 'file:///x' });

    expect(found.map(({ hosts }) => hosts)).toEqual([
      ['proxy.example:8443'],
      ['localhost:4010', 'llm.example'],
      ['10.0.0.7:80'],
    ]);
  });

  it('are looked at without waiting for a FIFO and without reading a file of any size', () => {
    program('a/codex');
    mkdirSync(join(home, '.codex'));
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(home, '.codex/auth.json')]);
    put('home/.codex/config.toml', `${'#'.repeat(5 * 1024 * 1024)}\nenv_key = "MY_KEY"\n`);

    expect(detect({ MY_KEY: '1' })[0]).toMatchObject({ login: { kind: 'none' }, passEnv: [] });
  });

  it('are started as agents that speak ACP where they have no adapter of their own, and chosen after those that do', () => {
    for (const name of ['gemini', 'claude-agent-acp', 'codex-acp', 'codex']) program(`a/${name}`);
    put('home/.codex/auth.json', '{"OPENAI_API_KEY":"k"}');

    const found = detect({ GEMINI_API_KEY: 'k' });

    expect(found.map(({ program: name, adapter, command }) => [name, adapter, command])).toEqual([
      ['codex', 'codex', null],
      ['gemini', 'acp', ['gemini', '--acp']],
      ['claude-agent-acp', 'acp', ['claude-agent-acp']],
      ['codex-acp', 'acp', ['codex-acp']],
    ]);
    expect(found[3]?.login).toEqual(found[0]?.login);
    expect(chooseAgent(found)?.program).toBe('codex');
  });

  it('are chosen by login before order', () => {
    const found = (name: string, part: Partial<FoundAgent> = {}): FoundAgent => ({
      program: name,
      path: `/bin/${name}`,
      adapter: 'command',
      command: null,
      login: { kind: 'none' },
      passEnv: [],
      hosts: [],
      makeLogin: '',
      ...part,
    });
    const login = { kind: 'file', where: '/x' } as const;

    expect(chooseAgent([found('a'), found('b', { login }), found('c', { login })])?.program).toBe('b');
    expect(chooseAgent([found('g'), found('a')])?.program).toBe('g');
    expect(chooseAgent([])).toBeNull();
  });
});

describe('the version of a coding CLI', () => {
  it.each<[string, string, string | null]>([
    ['says it', 'echo "codex-cli 0.169.0"', '0.169.0'],
    ['says it beside other words', 'echo "2.1.197 (Claude Code)"; echo noise >&2', '2.1.197'],
    ['says something else', 'echo hello', null],
    ['fails', 'echo 1.2.3; exit 1', null],
    ['prints without end', 'exec yes 1.2.3', null],
    ['reads its input', 'cat; echo 3.2.1', '3.2.1'],
  ])('is told where it %s', async (_what, body, version) => {
    expect(
      await agentVersion({ program: 'x', path: program('a/x', body) }, { PATH: process.env['PATH'], HOME: home }),
    ).toBe(version);
  });

  it('is asked with no key in the environment', async () => {
    const path = program('a/x', 'test -z "$ANTHROPIC_API_KEY" && echo 1.0.0');

    expect(
      await agentVersion({ program: 'x', path }, { PATH: process.env['PATH'], HOME: home, ANTHROPIC_API_KEY: 'k' }),
    ).toBe('1.0.0');
  });

  it('is asked with the switches of a turn, so that none updates itself on the way', async () => {
    const path = program('a/claude', 'test "$DISABLE_AUTOUPDATER" = 1 && echo 1.0.0');

    expect(await agentVersion({ program: 'claude', path }, { PATH: process.env['PATH'], HOME: home })).toBe('1.0.0');
  });

  it('is not waited for where the program hangs', async () => {
    expect(
      await agentVersion(
        { program: 'x', path: program('a/x', 'exec sleep 600') },
        { PATH: process.env['PATH'], HOME: home },
      ),
    ).toBeNull();
  }, 300_000);
});

describe('what a CLI says of its login', () => {
  const asked = (name: string, body: string) => {
    const env = { PATH: process.env['PATH'], HOME: home, CODEX_HOME: '/other', CODEX_API_KEY: 'k' };
    return agentSaysLogin({ program: name, path: program(`a/${name}`, body) }, env);
  };

  it.each([
    ['somebody is logged in', 'exit 0', true],
    ['nobody is', 'exit 1', false],
    ['it does not know the question', 'exit 2', null],
    ['it dies', 'kill -9 $$', null],
  ])('is its exit code: %s', async (_what, body, says) => {
    expect(await asked('codex', body)).toBe(says);
  });

  it('is asked by its own command, with the folder of its settings and without a key', async () => {
    const body = 'test "$*" = "login status" && test "$CODEX_HOME" = /other && test -z "$CODEX_API_KEY"';

    expect(await asked('codex', body)).toBe(true);
  });

  it('is not asked where it has no such command', async () => {
    expect(await asked('opencode', `touch ${join(folder, 'asked')}`)).toBeNull();
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });
});

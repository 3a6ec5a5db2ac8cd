/** A machine on which a coding CLI is found: what doctor, init and a run without a config say of it and write down. The programs are fakes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CliRepository } from '../support/cli-repository.js';
import { type CliWorld, openCliWorld } from '../support/cli-world.js';

const LIMIT_MS = 300_000;

let world: CliWorld;
let repository: CliRepository;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  world = openCliWorld();
  repository = world.repository();
  const path = world.script('codex', 'test "$1" = --version && echo "codex-cli 9.8.7"');
  env = { PATH: `${join(path, '..')}:${world.env['PATH'] ?? ''}`, CODEX_API_KEY: 'sk-not-in-any-file' };
});

afterEach(() => world.close(), LIMIT_MS);

describe('a coding CLI on PATH', () => {
  it(
    'is told by doctor with its version and its login, and by a run that nobody can ask, which uses nothing of it',
    async () => {
      const keyed = await world.sluice(['doctor', '--json'], { cwd: repository.path, env });
      const bare = await world.sluice(['doctor', '--json'], {
        cwd: repository.path,
        env: { ...env, CODEX_API_KEY: '' },
      });
      const run = await world.sluice(['run', 'x'], { cwd: repository.path, env });

      const agent = {
        check: 'agent codex',
        found: expect.stringMatching(/codex, 9\.8\.7, logged in \(CODEX_API_KEY\)/),
      };
      expect(lines(keyed.stdout)).toContainEqual(expect.objectContaining(agent));
      expect(lines(bare.stdout)).toContainEqual(
        expect.objectContaining({ check: 'agent codex', grade: 'warn', mend: 'codex login' }),
      );
      expect(run.stderr).toMatch(/agent {4}codex 9\.8\.7, logged in \(CODEX_API_KEY\)\n/);
      expect(run.stderr).toContain('Nobody trusted this yet; to keep it and use it: sluice init');
      expect(run.code).toBe(1);
      expect(existsSync(join(repository.path, '.sluice'))).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'is written down by init, with the name of the key and not the key',
    async () => {
      mkdirSync(join(world.person, '.codex'));
      writeFileSync(join(world.person, '.codex/config.toml'), 'env_key = "CODEX_API_KEY"\n');
      const { code, stdout } = await world.sluice(['init'], { cwd: repository.path, env });

      const text = readFileSync(join(repository.path, '.sluice/config.yaml'), 'utf8');
      expect(code).toBe(0);
      expect(text).toContain(
        'agents:\n  main:\n    adapter: codex\n    passEnv:\n      - CODEX_API_KEY\nagent: main\n',
      );
      expect(stdout).toContain('Next: sluice run "<task>"');
      expect(`${stdout}${text}`).not.toContain('sk-not-in-any-file');
    },
    LIMIT_MS,
  );
});

function lines(stdout: string): unknown[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** A machine on which the engine cannot come up, or not as wished: a clear error, exit 1, no process and nothing half-made. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT, UNTOUCHED } from '../support/cli-repository.js';
import { CLI, type CliOptions, type CliWorld, canDropRoot, jsonLines, openCliWorld } from '../support/cli-world.js';
import { itWhere } from '../support/it-where.js';
import { until } from '../support/until.js';

let world: CliWorld;
let repository: CliRepository;
let agent: string;

beforeEach(() => {
  world = openCliWorld();
  repository = world.repository();
  agent = world.script('agent', GOOD_AGENT);
});
afterEach(() => world.close(), 120_000);

const run = (options: CliOptions = {}) =>
  world.sluice(['run', 'add a line', '--agent', 'command', '--', agent], { cwd: repository.path, ...options });
const up = async () => jsonLines((await world.sluice(['up', '--json'])).stdout)[0] ?? {};

describe('a server binary', () => {
  const VERSION = 'temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)';
  /** PATH without a `temporal`, an empty cache, and a `go` that does as told. */
  const machine = (extra: Readonly<Record<string, string | undefined>>) => ({
    env: { SLUICE_TEMPORAL_CLI: undefined, XDG_CACHE_HOME: join(world.folder, 'cache'), ...extra },
  });
  const pathWith = (folder: string) => `${folder}:${process.env['PATH'] ?? ''}`;

  it('that SLUICE_TEMPORAL_CLI names and that is missing is refused', async () => {
    const { code, stderr } = await run({ env: { SLUICE_TEMPORAL_CLI: '/no/temporal' } });

    expect(code).toBe(1);
    expect(stderr).toContain('/no/temporal');
    expect(stderr).toContain('Nothing was started.');
    expect(world.living()).toEqual([]);
    expect(repository.traces()).toEqual(UNTOUCHED);
  });

  it('of the wrong version is refused', async () => {
    const old = world.script('temporal-old', `echo '${VERSION.replace('1.31.2', '1.20.0')}'`);

    const { code, stderr } = await run({ env: { SLUICE_TEMPORAL_CLI: old } });

    expect(code).toBe(1);
    expect(stderr).toContain('1.20.0');
    expect(stderr).toContain('Nothing was started.');
    expect(world.living()).toEqual([]);
  });

  it('whose build fails is told with the log of the build', async () => {
    world.script('go', 'echo "no network here" >&2; exit 1');

    const { code, stderr } = await run(machine({ PATH: pathWith(join(world.folder, 'bin')) }));

    expect(code).toBe(1);
    expect(stderr).toMatch(/no network here\n {2}Nothing was started; .*\n.*SLUICE_TEMPORAL_CLI=/);
    // A child that was told to end is there until its parent has collected it.
    await until(() => world.living().length === 0);
    expect(repository.traces()).toEqual(UNTOUCHED);
  });

  it('that ends at once is told with its log, and nothing stays', async () => {
    const dying = world.script(
      'temporal-dying',
      `case "$1" in --version) echo '${VERSION}' ;; *) echo "the disk is on fire"; exit 9 ;; esac`,
    );

    const { code, stderr } = await run({ env: { SLUICE_TEMPORAL_CLI: dying } });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /did not start: the server ended with exit code 9[\s\S]*the disk is on fire[\s\S]*sluice up/,
    );
    expect(world.living()).toEqual([]);
    expect(repository.traces()).toEqual(UNTOUCHED);
  });
});

describe('a sluice home', () => {
  itWhere(canDropRoot(), 'the test cannot drop root by setpriv')('that cannot be written is refused', async () => {
    const home = join(world.folder, 'locked');
    mkdirSync(home, { mode: 0o555 });
    chownSync(home, 65_534, 65_534);
    chmodSync(home, 0o555);
    chmodSync(world.folder, 0o755);
    const args = [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      process.execPath,
      CLI,
      'run',
      'x',
      '--agent',
      'command',
      '--',
      agent,
    ] as const;
    const gitConfig = join(world.folder, 'anybody.gitconfig');
    writeFileSync(gitConfig, '[safe]\n\tdirectory = *\n');
    const env = { SLUICE_HOME: home, GIT_CONFIG_GLOBAL: gitConfig };

    const { code, stderr } = await world.program(['setpriv', ...args], { cwd: repository.path, env }).done;

    expect(stderr).toContain(home);
    expect(stderr).toMatch(/cannot be written/);
    expect(stderr).toContain('Nothing was started.');
    expect(stderr).toContain('export SLUICE_HOME=');
    expect(code).toBe(1);
    expect(readdirSync(home)).toEqual([]);
  });

  it('that is a file is refused', async () => {
    writeFileSync(world.home, '');

    const { code, stderr } = await run();

    expect(code).toBe(1);
    expect(stderr).toContain('export SLUICE_HOME=');
    expect(repository.traces()).toEqual(UNTOUCHED);
  });
});

describe('the engine', () => {
  it('takes the next free port when its own is taken', async () => {
    const first = String((await up())['address']);
    await world.sluice(['down', '--now']);
    const port = Number(first.split(':')[1]);
    const squatter = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));

    const { code } = await run();
    const { address } = await up();
    await new Promise((resolve) => squatter.close(resolve));

    expect(code).toBe(0);
    expect(Number(String(address).split(':')[1])).toBeGreaterThan(port);
  }, 300_000);

  it('is one, however many call for it at once', async () => {
    // The one that started it says so.
    const answers = await Promise.all([up(), up(), up()]);

    expect(new Set(answers.map(({ address }) => address)).size).toBe(1);
    expect(answers.filter(({ started }) => started === true)).toHaveLength(1);
    expect((await run()).code).toBe(0);
  }, 300_000);
});

describe('a server that somebody else runs', () => {
  it('is refused when it does not answer, and nothing is started', async () => {
    const { code, stderr } = await run({ env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /127\.0\.0\.1:1 \(from TEMPORAL_ADDRESS\) does not answer\n.*\n {2}Nothing was started\.\n[^]*--local/,
    );
    expect(existsSync(world.home)).toBe(false);
  });

  it('is refused when nobody polls there, and names sluice worker and --local', async () => {
    // The shared server of the tests: nobody polls in its namespace "default".
    const { code, stderr } = await run({ env: { TEMPORAL_ADDRESS: process.env['SLUICE_TEST_ADDRESS'] } });

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /nobody polls the task queue "sluice" at .*\n.*\n {2}Nothing was started\.\n.*sluice worker\n.*--local/,
    );
    expect(existsSync(world.home)).toBe(false);
    expect(repository.traces()).toEqual(UNTOUCHED);
  });

  it('is not asked with --local', async () => {
    const { code } = await world.sluice(['run', 'x', '--local', '--agent', 'command', '--', agent], {
      cwd: repository.path,
      env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    });

    expect(code).toBe(0);
  }, 300_000);

  it.each(['run', 'worker'])('in a profile that cannot be read is refused by %s', async (command) => {
    const profile = join(world.person, 'temporal.toml');
    writeFileSync(profile, '[profile.mine]\naddress = 7\n');

    const { code, stderr } = await world.sluice(
      [command, ...(command === 'run' ? ['x', '--agent', 'command', '--', agent] : [])],
      {
        cwd: repository.path,
        env: { TEMPORAL_CONFIG_FILE: profile, TEMPORAL_PROFILE: 'other' },
      },
    );

    expect(code).toBe(1);
    expect(stderr).toMatch(/your Temporal profile cannot be read: .*other.*\n.*\n {2}Nothing was started\.\n/);
    expect(existsSync(world.home)).toBe(false);
  });

  it('is found by worker and run alike in a Temporal profile', async () => {
    const profile = join(world.person, 'temporal.toml');
    const namespace = 'default';
    const { address } = await up();
    writeFileSync(profile, `[profile.mine]\naddress = "${String(address)}"\nnamespace = "${namespace}"\n`);
    const env = {
      SLUICE_HOME: join(world.folder, 'other-home'),
      TEMPORAL_CONFIG_FILE: profile,
      TEMPORAL_PROFILE: 'mine',
    };

    const worker = world.start(['worker', '--repo', repository.path], { env });
    await worker.prints('"type":"ready"');
    const { code } = await run({ env });
    worker.process.kill('SIGTERM');

    expect(code).toBe(0);
    expect((await worker.done).code).toBe(130);
  }, 300_000);
});

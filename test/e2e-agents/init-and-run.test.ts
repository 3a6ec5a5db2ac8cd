/**
 * A person who has one coding CLI on PATH, set up for a provider of their own, and a fresh repository: `sluice init`, then `sluice run`,
 * and no file edited by hand. Where a sandbox works the run is inside. Only `npm run e2e:agents` starts this.
 */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import type { AgentCli } from './agent-clis.js';
import { prepareHome } from './agent-home.js';
import { noteRan } from './agent-world.js';
import { type MockProvider, startMockProvider } from './mock-provider.js';
import { plannedClis, readPlan } from './run-plan.js';

const LIMIT_MS = 600_000;

/** `init` finds its test; the model's change makes it pass. */
const PACKAGE = JSON.stringify({
  name: 'fresh',
  version: '1.0.0',
  private: true,
  scripts: { test: 'grep -q changed a.txt' },
});

describe.each(plannedClis())('a fresh repository and $name', (cli: AgentCli) => {
  let provider: MockProvider;
  let world: CliWorld;

  beforeAll(async () => {
    provider = await startMockProvider(readPlan().mock);
    world = openCliWorld();
  }, LIMIT_MS);

  afterAll(async () => {
    await world.close();
    await provider.close();
  }, LIMIT_MS);

  /** What the person has set up, and no other CLI. */
  function personsEnvironment(): Readonly<Record<string, string>> {
    const { env } = prepareHome(cli.name, world.person, provider.url);
    const others = (world.env['PATH'] ?? '').split(delimiter).filter((entry) => !existsSync(join(entry, cli.program)));
    return { ...env, PATH: [join(readPlan().prefixes[cli.name], 'bin'), ...others].join(delimiter) };
  }

  it(
    'end with a verified change after init and run',
    async () => {
      const env = personsEnvironment();
      const repository = world.repository();
      repository.write('package.json', PACKAGE);
      repository.git('add', '-A');
      repository.git('commit', '-q', '-m', 'package');

      const made = await world.sluice(['init'], { cwd: repository.path, env });
      const config = readFileSync(join(repository.path, '.sluice/config.yaml'), 'utf8');
      const { code, stdout, stderr } = await world.sluice(['run', 'Add a line to a.txt.', '--json'], {
        cwd: repository.path,
        env,
      });
      noteRan(cli.name, 'init and run', provider.calls().length);

      expect(made.code).toBe(0);
      expect(config).toContain(`adapter: ${cli.name}\n`);
      expect(config).toContain(new URL(provider.url).host);
      for (const value of Object.values(env).filter((each) => each === 'dummy')) expect(config).not.toContain(value);
      const end = jsonLines(stdout).at(-1) ?? {};
      expect({ end, stderr }).toMatchObject({ end: { how: 'closed', outcome: 'merge_ready', verdict: 'verified' } });
      expect(code).toBe(0);
      expect(repository.git('show', `${String(end['branch'])}:a.txt`)).toContain('changed\n');
    },
    LIMIT_MS,
  );
});

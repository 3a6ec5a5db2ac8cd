/** A repository whose committed config nobody trusted, and an agent that leaves files which steer the next one: through the built worker. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { fixtureWith } from '../support/test-repository.js';

const LIMIT_MS = 300_000;

const LEFT = [
  '.claude/settings.json',
  '.github/workflows/x.yml',
  'AGENTS.override.md',
  '.vscode/tasks.json',
  '.envrc',
  '.pnpmfile.cjs',
];

describe('a project config that nobody trusted', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  /** The agent is the person's own. */
  async function runWith(config: string) {
    const left = Object.fromEntries(LEFT.map((path) => [path, 'x\n']));
    const fixture = fixtureWith({ executing: { append: { 'a.txt': 'changed\n', ...left }, text: 'Done.' } });
    const repository = await host.repository({ fixture, files: { '.sluice/config.yaml': config } });
    const folder = join(host.env['HOME'] ?? '', '.config/sluice');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'config.yaml'),
      `agents: {script: {adapter: scripted, args: [${JSON.stringify(repository.fixturePath)}]}}\n`,
    );
    const run = await host.startRun(repository, { attended: false });
    return run.result();
  }

  it.each([
    'guardedPaths: [nothing/here]\n',
    'guardedPaths: []\n',
    'stageList: [executing]\nguardedPaths: [nothing/here]\n',
  ])(
    'takes no path off those that a person must look at: %j',
    async (config) => {
      const result = await runWith(config);

      expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'guarded_paths' });
      for (const path of LEFT) expect(result.error).toContain(path);
    },
    LIMIT_MS,
  );
});

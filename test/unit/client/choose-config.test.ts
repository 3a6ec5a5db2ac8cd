/** What the command line says of a project config before a run; the user's config and the repository are real. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { effectiveConfig } from '../../../client/cli/start/choose-config.js';
import { tempFolders } from '../../support/temp-folder.js';
import { makeRepository } from '../../support/test-repository.js';
import { openTerminal } from './fake-io.js';

const LIMIT_MS = 300_000;

const freshFolder = tempFolders();
let folder: string;

beforeEach(() => {
  folder = freshFolder();
  mkdirSync(join(folder, 'user/sluice'), { recursive: true });
  writeFileSync(
    join(folder, 'user/sluice/config.yaml'),
    'version: 1\nagent: claude\nagents: {claude: {adapter: claude-code}}\n',
  );
});

/** Of a repository whose config is committed, and that nobody trusted. `turn`: on a terminal that an agent made itself. */
async function look(config: string, turn?: string) {
  const repository = makeRepository(folder);
  repository.write('.sluice/config.yaml', config);
  repository.git('add', '-A');
  repository.git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'config');
  const env = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'user'),
    ...(turn === undefined ? {} : { SLUICE_TURN: turn }),
  };
  const terminal = openTerminal({ env, interactive: turn !== undefined });
  const context = { ...terminal.context, home: join(folder, 'home') };
  const question = {
    root: repository.path,
    baseSha: repository.git('rev-parse', 'HEAD').trim(),
    runInput: {},
    program: null,
  };
  return { asked: effectiveConfig(context, question), err: terminal.err };
}

describe('a project config that nobody trusted', () => {
  it(
    'is told with the keys that it does not count for',
    async () => {
      const { asked, err } = await look('version: 1\nrounds: 9\n');
      const { policy } = await asked;

      expect(policy.rounds).not.toBe(9);
      expect(err).toEqual([expect.stringMatching(/it does not count for rounds\. To let it: {2}sluice trust$/)]);
    },
    LIMIT_MS,
  );

  it(
    'refuses nothing by what it could say only if it were trusted',
    async () => {
      const { asked, err } = await look('version: 1\nagent: opencode\n');
      const { policy } = await asked;

      expect(Object.keys(policy.agents)).toEqual(['claude']);
      expect(err).toEqual([
        expect.stringMatching(/; trusted, it would be refused: \.sluice\/config\.yaml:2:1: agent is opencode$/),
      ]);
    },
    LIMIT_MS,
  );

  it('is never trusted by an agent: inside a turn nobody is asked, though there is a terminal', async () => {
    const { asked, err } = await look('version: 1\nagents: {own: {command: prog}}\nagent: own\n', 'a-turn');

    await expect(asked).rejects.toThrow('sluice trust');
    expect(err).toEqual([]);
  });
});

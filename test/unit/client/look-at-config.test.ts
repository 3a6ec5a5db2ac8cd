/** What `sluice doctor` says of the config of the repository that it stands in. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { lookAtConfig, readProject } from '../../../client/cli/start/look-at-config.js';
import { makeRepository, removeFolders, tempFolder } from '../git/repository-fixture.js';
import { openTerminal } from './fake-io.js';

afterEach(removeFolders);

const word = (text: string) => expect.stringContaining(text);

/** `where`: whose config it is. */
async function lookIn(cwd: string, where: 'user' | 'project', config: string | null) {
  const home = tempFolder();
  const folder = where === 'project' ? join(cwd, '.sluice') : join(home, '.config/sluice');
  mkdirSync(folder, { recursive: true });
  if (config !== null) writeFileSync(join(folder, 'config.yaml'), config);
  const { context } = openTerminal({ interactive: true, env: { PATH: '/usr/bin:/bin', HOME: home }, cwd });
  const project = await readProject(context);
  return project === null ? null : lookAtConfig(context, project);
}

const agent = (command: string, more = '') => `agent: a\nagents: { a: { command: ${command}${more} } }\n`;

describe('the config of a repository', () => {
  it.each<[string, 'user' | 'project', string | null, unknown]>([
    ['that names no agent', 'user', null, ['config', 'warn', word('no agent'), 'sluice init']],
    ['whose agent is there', 'user', agent('[cat]'), ['config', 'ok', word('can be used'), null]],
    [
      'whose agent is not there',
      'user',
      agent('[no-such-program]'),
      ['agent a', 'fail', 'no-such-program is not on PATH', word('agents.a.command')],
    ],
    [
      'whose agent lies on a PATH of its own',
      'user',
      agent('[cat]', ', env: { PATH: /nowhere }'),
      ['agent a', 'fail', 'cat is not on PATH', word('agents.a.command')],
    ],
    [
      'that is no YAML',
      'project',
      'agent: [\n',
      ['config', 'fail', word('.sluice/config.yaml:'), word('sluice config')],
    ],
    [
      'with a key that is none',
      'user',
      'agnet: a\n',
      ['config', 'fail', word('config.yaml:1:1'), word('then: sluice config')],
    ],
    [
      'that nobody trusted',
      'project',
      agent('[cat]'),
      ['config', 'warn', word('nobody trusted'), word('sluice trust')],
    ],
  ])('%s', async (_what, where, config, said) => {
    const findings = await lookIn(makeRepository(), where, config);

    expect(findings?.map(({ check, grade, found, mend }) => [check, grade, found, mend])).toEqual([said]);
  });

  it('is no reason to end where it is a folder', async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, '.sluice/config.yaml'), { recursive: true });

    expect(await lookIn(cwd, 'project', null)).toMatchObject([{ check: 'config', grade: 'fail' }]);
  });

  it('is looked at in a repository only', async () => {
    expect(await lookIn(tempFolder(), 'user', agent('[no-such-program]'))).toBeNull();
  });
});

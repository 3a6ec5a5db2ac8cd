/** What `sluice doctor` is told of a forge, by real octokit; and by whom it is asked at all. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reportForge } from '../../../activities/forge/doctor/report-forge.js';
import { readProject } from '../../../client/cli/start/look-at-config.js';
import { lookAtForge } from '../../../client/cli/start/look-at-forge.js';
import { type FakeForge, openFakeForge } from '../../support/forge/fake-forge.js';
import { openTerminal } from '../client/fake-io.js';
import { makeRepository, removeFolders, tempFolder } from '../git/repository-fixture.js';

let forge: FakeForge;
beforeEach(async () => {
  forge = await openFakeForge(join(tempFolder(), 'forge'));
  forge.state.commit('main', 'README.md', 'hello\n');
});
afterEach(() => {
  forge.close();
  removeFolders();
});

const report = (token: string | undefined = forge.token, branch: string | null = 'main') =>
  reportForge(
    { apiUrl: forge.apiUrl, repo: forge.state.name, branch, forbidden: [] },
    { environment: { PATH: '/nonexistent', GH_TOKEN: token }, stop: new AbortController().signal },
  );

describe('a report', () => {
  it('says what the token may do and which rules the base has, and never the token', async () => {
    Object.assign(forge.state.rules, { needsPull: true, classicChecks: ['ci'], approvals: 1, isLinear: true });
    forge.state.rules.requiredChecks = [{ context: 'lint', app: 1 }];
    forge.state.methods = ['squash'];
    forge.state.scopes.set(forge.token, 'repo, workflow');

    const said = await report();

    expect(said).toEqual({
      tokenSource: 'GH_TOKEN',
      scopes: ['repo', 'workflow'],
      said: {
        kind: 'said',
        repo: 'owner/name',
        isArchived: false,
        mayPush: true,
        methods: ['squash'],
        branch: 'main',
        rules: {
          isProtected: true,
          requiredChecks: ['lint', 'ci'],
          approvals: 1,
          isLinear: true,
          isSigned: false,
          hasQueue: false,
        },
      },
    });
    expect(JSON.stringify(said)).not.toContain(forge.token);
    expect(forge.faults.log.map(({ request }) => request)).toEqual([
      'GET repository',
      'GET repository',
      'BaseRules',
      'BaseRules',
    ]);
  });

  it('knows a base without rules, one that is not there, and a token without scopes', async () => {
    forge.state.scopes.set(forge.token, '');

    expect(await report()).toMatchObject({ scopes: null, said: { rules: { isProtected: false, requiredChecks: [] } } });
    expect(await report(undefined, 'other')).toMatchObject({ said: { branch: 'other', rules: null } });
    expect(await report(undefined, null)).toMatchObject({ said: { branch: 'main', rules: {} } });
  });

  it('says why there is none', async () => {
    expect(await report('')).toMatchObject({ tokenSource: null, said: { kind: 'unauthorized' } });
    expect(await report('another')).toMatchObject({ tokenSource: 'GH_TOKEN', said: { kind: 'unauthorized' } });
    forge.state.name = 'owner/other';
    expect(
      await reportForge(
        { apiUrl: forge.apiUrl, repo: 'owner/name', branch: null, forbidden: [] },
        { environment: { GH_TOKEN: forge.token }, stop: new AbortController().signal },
      ),
    ).toMatchObject({ said: { kind: 'gone' } });
  });
});

describe('sluice doctor', () => {
  const ENTRY = [join(process.cwd(), 'dist/activities/forge/doctor/main.js')] as const;

  async function doctorIn(where: 'user' | 'project' | null) {
    const cwd = makeRepository();
    const config = `forge: { repo: owner/name, apiUrl: ${forge.apiUrl} }\n`;
    const home = tempFolder();
    const folder = where === 'project' ? join(cwd, '.sluice') : join(home, '.config/sluice');
    mkdirSync(folder, { recursive: true });
    if (where !== null) writeFileSync(join(folder, 'config.yaml'), config);
    const env = { PATH: '/usr/bin:/bin', HOME: home, GH_TOKEN: forge.token };
    const { context } = openTerminal({ interactive: false, env, cwd });
    const project = await readProject(context);
    return project === null ? null : lookAtForge(context, project, ENTRY);
  }

  it('tells of the forge that a config names, by a program of its own', async () => {
    const findings = await doctorIn('user');

    expect(findings?.map(({ check, grade }) => [check, grade])).toEqual([
      ['forge token', 'warn'],
      ['forge repository', 'ok'],
      ['forge base', 'ok'],
    ]);
    expect(JSON.stringify(findings)).not.toContain(forge.token);
  });

  it('asks nobody without one, or for one that nobody trusted', async () => {
    expect(await doctorIn(null)).toEqual([]);
    expect(await doctorIn('project')).toEqual([]);
    expect(forge.faults.log).toEqual([]);
  });
});

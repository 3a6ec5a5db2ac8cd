/** The fake forge is held to the suite that a real one is held to. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CHECK_STEPS, tryStep } from '../../forge-suite/suite.js';
import { type FakeForge, openFakeForge } from '../../support/forge/fake-forge.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';
import { NO_WAIT } from './forge-world.js';

let forge: FakeForge;
beforeAll(async () => {
  forge = await openFakeForge(join(tempFolder(), 'forge'));
  forge.state.commit('main', 'README.md', 'hello\n');
});
afterAll(() => {
  forge.close();
  removeFolders();
});

describe('the fake forge', () => {
  const refs = () => forge.state.git('for-each-ref');
  let before = '';
  beforeAll(() => {
    before = refs();
  });
  afterEach(() => {
    expect([refs(), forge.state.labels, forge.state.pulls.filter(({ state }) => state === 'open')]).toEqual([
      before,
      new Set(),
      [],
    ]);
  });

  it.each(CHECK_STEPS.map((step) => [step.name, step] as const))('holds that %s', async (_name, step) => {
    const { apiUrl, state, token } = forge;

    const which = { apiUrl, repo: state.name, environment: { GH_TOKEN: token }, ...NO_WAIT };
    expect(await tryStep(which, step)).toEqual({ kind: 'held' });
  });
});

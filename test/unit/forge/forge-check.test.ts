/** `npm run forge:check`, against a fake forge: what it refuses, and when it gives up. That its steps hold is shown by forge-suite.test.ts. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkForge } from '../../forge-suite/check-forge.js';
import { CHECK_STEPS } from '../../forge-suite/suite.js';
import { type FakeForge, openFakeForge } from '../../support/forge/fake-forge.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';

let forge: FakeForge;
beforeAll(async () => {
  forge = await openFakeForge(join(tempFolder(), 'forge'));
});
afterAll(() => {
  forge.close();
  removeFolders();
});

async function check(args: readonly string[], token: string | undefined, isStopped = false) {
  const lines: string[] = [];
  const add = (line: string) => void lines.push(line);
  const onStop = (stop: () => void) => (isStopped ? stop() : undefined);
  const environment = { PATH: '/nonexistent', GH_TOKEN: token };
  const exit = await checkForge(args, { environment, print: add, complain: add, onStop });
  return { exit, said: lines.join('\n') };
}

const here = () => ['owner/name', '--api-url', forge.apiUrl];

describe('a forge is not tried', () => {
  it.each([
    [[], 'one repository'],
    [['owner'], 'one repository'],
    [['owner/name', 'owner/other'], 'one repository'],
    [['owner/name', '--fast'], 'Unknown option'],
    [['owner/name', '--api-url', 'http://elsewhere.example'], 'no address of a forge'],
  ])('by wrong usage: %j', async (args, words) => {
    expect(await check(args, forge.token)).toEqual({ exit: 2, said: expect.stringContaining(words) });
  });

  it('without a token', async () => {
    expect(await check(here(), undefined)).toEqual({ exit: 2, said: expect.stringContaining('no token') });
    expect(forge.faults.log).toEqual([]);
  });

  it.each([
    ['whose token nobody knows', 'another', 'unauthorized'],
    ['that is empty', undefined, '"isEmpty":true'],
  ])('further than the first step where it is one %s', async (_what, token, words) => {
    const { exit, said } = await check(here(), token ?? forge.token);

    expect([exit, forge.state.git('for-each-ref'), said]).toEqual([1, '', expect.stringContaining(words)]);
    expect(said).toContain(`1 do not, ${CHECK_STEPS.length - 1} were not tried`);
  });

  it('once it is stopped', async () => {
    expect(await check(here(), forge.token, true)).toEqual({ exit: 1, said: expect.stringContaining('0 hold, 0 do') });
  });
});

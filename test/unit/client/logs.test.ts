import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logs } from '../../../client/cli/commands/logs.js';
import { serveRepository } from '../../../client/cli/server/host-config.js';
import type { Sluice } from '../../../client/sluice.js';
import { aListedRun, aView } from '../../support/gate-builder.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

describe('a log that is followed', () => {
  const freshFolder = tempFolders();
  let now = 0;

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Of an open run whose files are here. */
  async function follow(result: Sluice['result']) {
    const [home, root] = [freshFolder(), freshFolder()];
    const runDir = join(root, '.sluice', 'runs', 'shop-1');
    mkdirSync(runDir, { recursive: true });
    writeFileSync(join(runDir, 'state.json'), JSON.stringify(aView()));
    await serveRepository(home, root);
    const part: Pick<Sluice, 'list' | 'result' | 'describe' | typeof Symbol.asyncDispose> = {
      list: async () => [aListedRun('shop-1', { repo: root })],
      result,
      describe: () => Promise.reject(new Error('14 UNAVAILABLE')),
      [Symbol.asyncDispose]: async () => {},
    };
    const { context, err } = openTerminal({ live: false });
    const options = { asked: 'shop-1', follow: true };
    return { code: await logs({ ...context, home }, options, async () => part as Sluice), err };
  }

  it('is not whole where the server stays away, and says so', async () => {
    const { code, err } = await follow(() => {
      now += 31_000;
      return Promise.reject(new Error('14 UNAVAILABLE'));
    });

    expect(code).toBe(130);
    expect(err.join('\n')).toContain('this log is not whole');
  });

  it('is whole though its run failed', async () => {
    const failed = Object.assign(new Error('failed', { cause: new Error('no room') }), { name: 'WorkflowFailedError' });
    const { code, err } = await follow(() => Promise.reject(failed));

    expect(code).toBe(0);
    expect(err).toEqual([]);
  });
});

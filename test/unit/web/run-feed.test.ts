/** One run, live, for whoever reads it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { RunFeed } from '../../../client/http/run-feed.js';
import type { ServerLine } from '../../../client/http/server-line.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { aFoundRun } from './a-found-run.js';

const tempFolder = tempFolders();

const AWAY = { ask: () => Promise.reject(new Error('the server is away')) } as unknown as ServerLine;

describe('a run that could not be looked at first', () => {
  it('is looked at again, and told to who came before', async () => {
    const runDir = join(tempFolder(), 'run');
    mkdirSync(runDir);
    writeFileSync(join(runDir, 'state.json'), '{}');
    let looks = 0;
    const find = async () => {
      looks += 1;
      if (looks === 1) throw new Error('EMFILE');
      return aFoundRun('a', { runDir });
    };

    const feed = new RunFeed('a', { find }, AWAY);
    const next = feed.reader({ kind: 'run', runId: 'a', position: null });

    await until(() => next()?.topic === 'run');
    feed.close();
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { BUNDLE_PATH } from '../support/stub-host.js';

const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

describe('kept histories', () => {
  beforeAll(() => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  });

  it('are there, one for each shape of a run', () => {
    expect(FILES.length).toBeGreaterThanOrEqual(9);
  });

  it.each(FILES)('%s replays with the workflow of today', async (file) => {
    const history = historyFromJSON(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));

    await expect(Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE_PATH } }, history)).resolves.toBeUndefined();
  });

  it('would fail if a run scheduled something else', async () => {
    const text = readFileSync(join(FOLDER, 'run-plain.json'), 'utf8').replaceAll('"validate"', '"revalidate"');

    await expect(
      Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE_PATH } }, historyFromJSON(JSON.parse(text))),
    ).rejects.toThrow();
  });
});

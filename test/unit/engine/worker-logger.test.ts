/** The worker's log on a disk that is full: what is logged is lost, and the worker goes on. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const LOGGER = new URL('../../../worker/logger.ts', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

it('is gone on without, whatever is logged', () => {
  const full = openSync('/dev/full', 'w');
  const program = `
    const { createLogger } = await import(${JSON.stringify(LOGGER)});
    const logger = createLogger('WARN');
    for (const text of ['one', 'two', 'three']) logger.warn(text);
    await new Promise((resolve) => setImmediate(resolve));
    logger.warn('four');
    console.log('went on');
  `;

  const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  closeSync(full);

  expect([status, stdout]).toEqual([0, 'went on\n']);
});

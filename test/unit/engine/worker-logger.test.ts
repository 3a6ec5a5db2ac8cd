/** The worker's log on a disk that is full: what is logged is lost, and the worker goes on. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const LOGGER = new URL('../../../worker/logger.ts', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs statements in a process whose standard error has no room, and a heap of 64 MB. */
function logToFullDisk(statements: string) {
  const full = openSync('/dev/full', 'w');
  const program = `
    const { createLogger } = await import(${JSON.stringify(LOGGER)});
    const logger = createLogger('WARN');
    ${statements}
    console.log('went on');
  `;
  const flags = ['--max-old-space-size=64', '--import', 'tsx', '--input-type=module'];
  const { status, stdout } = spawnSync(process.execPath, [...flags, '-e', program], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  closeSync(full);
  return [status, stdout];
}

it('is gone on without, whatever is logged', () => {
  const statements = `
    for (const text of ['one', 'two', 'three']) logger.warn(text);
    await new Promise((resolve) => setImmediate(resolve));
    logger.warn('four');
  `;

  expect(logToFullDisk(statements)).toEqual([0, 'went on\n']);
});

it('is not kept in memory, however much is logged', () => {
  const statements = `
    for (let line = 0; line < 20_000; line += 1) logger.warn(line + 'x'.repeat(10_000));
  `;

  expect(logToFullDisk(statements)).toEqual([0, 'went on\n']);
}, 100_000);

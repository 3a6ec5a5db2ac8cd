/** A worker that fails for good: its process ends, so that whoever supervises it starts another. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { openedOnce } from '../support/opened.js';
import { openTestHost } from '../support/test-host.js';

const FAILING = fileURLToPath(new URL('../support/failing-worker.mjs', import.meta.url));

const host = openedOnce(openTestHost);

it('ends with exit code 1 and says why, also while it serves the command line', async () => {
  const worker = await host.startWorker({ main: FAILING });
  const ended = once(worker.process, 'exit');

  worker.process.kill('SIGUSR2');

  expect(await ended).toEqual([1, null]);
  expect(worker.logged()).toContain('its polls failed');
}, 300_000);

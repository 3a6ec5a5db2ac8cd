/** How long the loop of the worker stands still meanwhile. The worker is the built one, with a watch in it that does nothing until it is asked. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WORKER_NODE_FLAGS } from '../../worker/local-engine/children/worker-child.js';
import type { BenchHost } from '../bench-host.js';
import { until } from '../until.js';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const WATCH = pathOf('../trace/loop-watch.mjs');
const BUILT_WORKER = pathOf('../../dist/programs/worker.js');

export const WATCHED_WORKER: readonly [string, ...string[]] = [
  process.execPath,
  ...WORKER_NODE_FLAGS,
  '--import',
  WATCH,
  BUILT_WORKER,
  '--no-profile',
];

/** Unit: ms; for the watch to begin. */
const A_MOMENT = 50;

/** Precondition: the worker of the host is a watched one. Unit: ms. */
export async function longestStop({ home, workerPid }: BenchHost, work: () => Promise<unknown>): Promise<number> {
  const path = join(home, 'loop.json');
  rmSync(path, { force: true });
  process.kill(workerPid(), 'SIGUSR2');
  await delay(A_MOMENT);
  await work();
  process.kill(workerPid(), 'SIGUSR2');
  await until('the worker tells of its loop', async () => existsSync(path));
  const { longestMs } = JSON.parse(readFileSync(path, 'utf8')) as { longestMs: number }; // Written by loop-watch.mjs.
  return longestMs;
}

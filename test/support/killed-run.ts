/** A run on a host of its own whose worker or guard dies at failpoints, one after the other, and which the last worker ends. It is looked at before the host goes. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type EndedRun, endedRun, type RunCase } from './ended-run.js';
import { armFailpoint, type FailpointOrder, firedFailpoint, WORKER_WITH_FAILPOINT } from './failpoint-home.js';
import { openTestHost, type TestHost, type TestRun, type TestWorker } from './test-host.js';
import { until } from './until.js';

export interface KilledCase extends Omit<RunCase, 'meanwhile'> {
  /** Of the guard at most one, which is the only one: its worker goes on with the next guard. Of the worker any number; each next worker counts anew. */
  readonly kills: readonly FailpointOrder[];
  /** Called after each kill; where it was the worker, nobody works for the run then. */
  readonly onKill?: (run: TestRun, home: string) => void;
}

export interface KilledRun extends EndedRun {
  /** Of the host, which runs nothing else. */
  readonly home: string;
  /** One for each kill; null where the point was not reached, so that nothing is shown. */
  readonly fired: readonly (string | null)[];
}

export async function afterKills<T>(killed: KilledCase, look: (ended: KilledRun) => T | Promise<T>): Promise<T> {
  const { kills, onKill, ...runCase } = killed;
  const host = await openTestHost();
  const { home } = host;
  const fired: (string | null)[] = [];
  try {
    const first = await startDoomed(host, kills[0]);
    const meanwhile = async (run: TestRun) => {
      let worker = first;
      for (const [index, { name }] of kills.entries()) {
        const isOfGuard = name.startsWith('guard.');
        await Promise.race([isOfGuard ? until(() => firedFailpoint(home) !== null) : ended(worker), run.result()]);
        fired.push(firedFailpoint(home));
        onKill?.(run, home);
        if (!isOfGuard) worker = await startDoomed(host, kills[index + 1]);
      }
    };
    const end = await endedRun(host, { ...runCase, meanwhile });
    return await look({ ...end, home, fired });
  } finally {
    await host.close();
  }
}

/** Without an order: an ordinary one. */
function startDoomed(host: TestHost, order: FailpointOrder | undefined): Promise<TestWorker> {
  rmSync(join(host.home, 'fired'), { force: true });
  if (order === undefined) return host.startWorker();
  armFailpoint(host.home, order);
  return host.startWorker({ main: WORKER_WITH_FAILPOINT });
}

async function ended({ process: child }: TestWorker): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

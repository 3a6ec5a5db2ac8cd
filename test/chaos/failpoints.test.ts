/**
 * The kill matrix: at every failpoint the worker or the guard kills itself in the middle of a run, and the run must end as if nothing had happened.
 * Effects are counted by the agent's ledger, git, the journal file and the process table. A cell counts only if its failpoint fired.
 */

import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FAILPOINTS, type FailpointName } from '../../protocol/failpoints.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../support/failpoint-home.js';
import { type RunTraces, tracesOf } from '../support/run-traces.js';
import { sideBySide } from '../support/side-by-side.js';
import { openTestHost } from '../support/test-host.js';

const CONFIG = 'limits:\n  heartbeat: 2s\nvalidation:\n  commands: ["grep -q changed a.txt", "test -f a.txt"]\n';

/** The call at which the process dies: that of the executing turn, whose edit shows when it is made twice; else the first. */
const NTH: Partial<Record<FailpointName, number>> = {
  'turn.before-start': 3,
  'guard.before-claim': 3,
  'guard.after-claim': 3,
  'guard.after-go': 3,
  'guard.before-exit': 3,
  'guard.after-exit': 3,
  'turn.after-exit': 3,
  'turn.before-outcome': 3,
  'turn.after-outcome': 3,
  'turn.after-commit': 3,
  'turn.after-projection': 3,
  'turn.before-record': 3,
  'turn.after-record': 3,
  'journal.before-append': 3,
  'journal.after-append': 3,
};

const AT_ONCE = 5;
const LIMIT_MS = 180_000;

const isOfGuard = (name: FailpointName) => name.startsWith('guard.');

describe('a run survives a kill', () => {
  let undisturbed: Promise<RunTraces>;
  let cells: ReadonlyMap<FailpointName, Promise<RunTraces & { fired: string | null }>>;

  beforeAll(() => {
    undisturbed = plainRun();
    undisturbed.catch(() => {});
    cells = sideBySide(FAILPOINTS, AT_ONCE, runWithKill);
  });
  // Also where only some of the tests were asked for: no cell may outlive the file.
  afterAll(() => Promise.allSettled(cells.values()), LIMIT_MS);

  it(
    'and one without a kill starts each agent once, makes one commit and leaves nothing alive',
    async () => {
      expect(await undisturbed).toMatchObject({
        outcome: 'merge_ready',
        agents: ['planning', 'architecting', 'executing', 'reviewing', 'verifying'].flatMap((stage) => [`${stage} START`, `${stage} END`]),
        commits: 1,
        living: [],
      });
    },
    LIMIT_MS,
  );

  it.each(FAILPOINTS.filter((name) => !isOfGuard(name)))(
    'of the worker at %s',
    async (name) => {
      expect(await cells.get(name)).toEqual({ ...(await undisturbed), fired: name });
    },
    LIMIT_MS,
  );

  it.each(FAILPOINTS.filter(isOfGuard))(
    'of the guard at %s',
    async (name) => {
      expect(await cells.get(name)).toEqual({ ...(await undisturbed), fired: name });
    },
    LIMIT_MS,
  );
});

async function plainRun(): Promise<RunTraces> {
  const host = await openTestHost();
  try {
    const repository = await host.repository({ config: CONFIG });
    await host.startWorker();
    const run = await host.startRun(repository);
    return await tracesOf({ run, repository, home: host.home });
  } finally {
    await host.close();
  }
}

async function runWithKill(name: FailpointName): Promise<RunTraces & { fired: string | null }> {
  const host = await openTestHost();
  try {
    const repository = await host.repository({ config: CONFIG });
    armFailpoint(host.home, { name, nth: NTH[name] ?? 1 });
    const doomed = await host.startWorker({ main: WORKER_WITH_FAILPOINT });
    const dead = once(doomed.process, 'exit');
    const run = await host.startRun(repository);
    if (!isOfGuard(name)) {
      await Promise.race([dead, run.result()]);
      await host.startWorker();
    }
    return { ...(await tracesOf({ run, repository, home: host.home })), fired: firedFailpoint(host.home) };
  } finally {
    await host.close();
  }
}

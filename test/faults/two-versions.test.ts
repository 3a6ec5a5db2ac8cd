/**
 * Workers of an older and of a newer version serve one home and one namespace: runs begin on one and end on the other. The newer one's guard speaks a
 * newer protocol. Forwards its workflow has a change behind `patched()` too; back from such a change Temporal itself knows no way, so backwards it has none.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { guardPid } from '../support/guard-pid.js';
import { endOf, type HeldRun, holdRun, MOMENTS, PLAIN_END } from '../support/held-run.js';
import { makeNewerBuild, type NewerBuild } from '../support/newer-build.js';
import { livingTurns } from '../support/run-traces.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 240_000;
const ENDS = MOMENTS.map(() => expect.objectContaining(PLAIN_END));

describe('an older and a newer worker on one home', () => {
  let host: TestHost;
  let newer: NewerBuild;

  afterEach(async () => {
    await host.close();
    newer.remove();
  }, LIMIT_MS);

  /** One agent and one command at work, one run that waits for a person, one that is paused. */
  const heldRuns = () => Promise.all(MOMENTS.map((moment) => holdRun(host, moment, { attended: true })));
  const ends = (runs: readonly HeldRun[]) => Promise.all(runs.map((held) => endOf(host, held)));

  it(
    'side by side, then the newer alone: runs that began on the older end there, and each agent was started once',
    async () => {
      newer = await makeNewerBuild('changed');
      host = await openTestHost();
      const older = await host.startWorker();
      const runs = await heldRuns();
      const olderGuard = guardPid(host.home);

      await host.startWorker({ main: newer.main });
      await older.stop();

      expect(await ends(runs)).toEqual(ENDS);
      expect(guardPid(host.home)).not.toBe(olderGuard);
      expect(livingTurns(host.home)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'the newer first, then the older alone: runs that began on the newer end there, under its guard, and each agent was started once',
    async () => {
      newer = await makeNewerBuild('same');
      host = await openTestHost();
      const first = await host.startWorker({ main: newer.main });
      const runs = await heldRuns();
      const newerGuard = guardPid(host.home);

      await host.startWorker();
      await first.kill();

      expect(await ends(runs)).toEqual(ENDS);
      expect(guardPid(host.home)).toBe(newerGuard);
      expect(livingTurns(host.home)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'both for as long as runs begin: each run ends, whichever of them takes its turns, and each agent was started once',
    async () => {
      newer = await makeNewerBuild('same');
      host = await openTestHost();
      await host.startWorker();
      await host.startWorker({ main: newer.main });
      const runs = await heldRuns();

      expect(await ends(runs)).toEqual(ENDS);
      expect(livingTurns(host.home)).toEqual([]);
    },
    LIMIT_MS,
  );
});

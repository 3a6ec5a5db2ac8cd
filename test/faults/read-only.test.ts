/**
 * A file system that becomes read-only while a run is on its way, and writable again later, as after an error of the disk: the repository in
 * mid-turn, the sluice home in mid-turn and at a gate (files that are open for writing, as those of an agent at work, keep a mount from becoming
 * read-only: in mid-turn what is opened from then on is).
 */
import { rmSync } from 'node:fs';
import { describe, expect } from '@jest/globals';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import { itWhere } from '../support/it-where.js';
import { livingTurns, startsOf, tracesOf } from '../support/run-traces.js';
import { canMount, readOnlyFolder, smallDisk } from '../support/small-disk.js';
import { openTestHost } from '../support/test-host.js';
import { fixtureWith, PLAIN_FIXTURE, PLAIN_VALIDATION } from '../support/test-repository.js';
import { UNDISTURBED } from '../support/undisturbed.js';
import { until } from '../support/until.js';
import { whyItWaits } from '../support/why-it-waits.js';

const LIMIT_MS = 120_000;
const mountTest = itWhere(canMount(), 'no right to mount a tmpfs');

describe('a file system that becomes read-only', () => {
  mountTest(
    'under the repository in mid-turn holds the run up; once it can be written again the run ends as if nothing had happened',
    async () => {
      const host = await openTestHost();
      const fixture = fixtureWith({ executing: { ...PLAIN_FIXTURE.stages.executing, waitFor: 'go' } });
      const repository = await host.repository({ fixture });
      const disk = smallDisk(repository.path, { size: '8m' });
      try {
        await host.startWorker();
        const run = await host.startRun(repository);
        await until(() => startsOf(repository, 'executing') === 1);
        await until(() => makesReadOnly(disk.makeReadOnly));

        repository.release('go');
        const why = await whyItWaits(run);
        disk.makeWritable();

        expect(why).toMatch(/read-only file system/i);
        expect(await tracesOf({ run, repository, home: host.home })).toEqual(UNDISTURBED);
      } finally {
        disk.unmount();
        await host.close();
      }
    },
    LIMIT_MS,
  );

  mountTest(
    'under the sluice home in mid-turn holds the end of the turn up; once it can be written again the run ends as if nothing had happened',
    async () => {
      const host = await openTestHost();
      const fixture = fixtureWith({ executing: { ...PLAIN_FIXTURE.stages.executing, waitFor: 'go' } });
      const repository = await host.repository({ fixture });
      let makeWritable = () => undefined as void;
      try {
        await host.startWorker();
        const run = await host.startRun(repository);
        await until(() => startsOf(repository, 'executing') === 1);
        await until(() => makesReadOnly(() => (makeWritable = readOnlyFolder(host.home))));

        repository.release('go');
        await until(
          () => readLedger(repository.ledgerPath).at(-1)?.event === 'END' && livingTurns(host.home).length === 0,
        );
        const { status } = await run.view();
        makeWritable();
        makeWritable = () => undefined;

        expect(status).toBe('executing');
        expect(await tracesOf({ run, repository, home: host.home })).toEqual(UNDISTURBED);
      } finally {
        makeWritable();
        await host.close();
      }
    },
    LIMIT_MS,
  );

  mountTest(
    'under the sluice home at an open gate holds the run up after the decision; once it can be written again the run ends as it would have',
    async () => {
      const host = await openTestHost();
      const disk = smallDisk(host.home, { size: '32m' });
      const repository = await host.repository({ config: `gates: [executing]\n${PLAIN_VALIDATION}` });
      try {
        await host.startWorker();
        const run = await host.startRun(repository, { attended: true });
        await until(async () => (await run.view()).waiting?.kind === 'approval');
        await until(() => makesReadOnly(disk.makeReadOnly));

        await run.handle.signal('approve', {});
        const why = await whyItWaits(run);
        disk.makeWritable();
        const { journal, ...traces } = await tracesOf({ run, repository, home: host.home });

        expect(why).toMatch(/read-only file system/i);
        expect(traces).toEqual({ ...UNDISTURBED, journal: undefined });
        expect(journal).not.toBe('damaged');
      } finally {
        await host.close().catch(() => undefined);
        disk.unmount();
        rmSync(host.folder, { recursive: true, force: true, maxRetries: 5 });
      }
    },
    LIMIT_MS,
  );
});

/** False while somebody has a file of it open for writing. */
function makesReadOnly(make: () => void): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

/** A disk that is full when a mark must be written: the run waits and goes on once there is room, and no agent is started again. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { storeCommand } from '../../config/home/command-store.js';
import { ensureHome } from '../../config/home/home.js';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { itWhere } from '../support/it-where.js';
import { turnFolders } from '../support/run-traces.js';
import { canMount, type SmallDisk, smallDisk } from '../support/small-disk.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import { until } from '../support/until.js';

/** Room for worktrees and marks; the server's database lies elsewhere. */
const DISK = '16m';

describe('a disk that is full while a mark is written', () => {
  const mountTest = itWhere(canMount(), 'no right to mount a tmpfs');

  mountTest(
    'holds the run up until there is room; then it ends, every agent started once',
    async () => {
      const host = await openTestHost();
      const disk = smallDisk(host.home, { size: DISK });
      try {
        await fillInReview(host, disk);
      } finally {
        await host.close().catch(() => undefined);
        disk.unmount();
        rmSync(host.folder, { recursive: true, force: true });
      }
    },
    120_000,
  );
});

async function fillInReview(host: TestHost, disk: SmallDisk): Promise<void> {
  ensureHome(host.home);
  const person = host.env['HOME'] ?? '';
  // What the reviewer says lies on the disk before it is full; the mark of its turn does not.
  const held = `${GOOD_AGENT}\nif [ "$SLUICE_STAGE" = reviewing ]; then touch "$HOME/said"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; fi`;
  const agent = join(host.folder, 'agent');
  writeFileSync(agent, `#!/bin/sh\n${held}\n`, { mode: 0o755 });
  const repository = await host.repository();
  await host.startWorker();
  const run = await host.startRun(repository, { commandHash: storeCommand(host.home, [agent]) });

  await until(() => existsSync(join(person, 'said')));
  disk.fillBut(0);
  writeFileSync(join(person, 'go'), '');
  await until(async () => (await failureOf(run)).includes('ENOSPC'));
  disk.free();
  const { outcome } = await run.result();

  expect(outcome).toBe('merge_ready');
  expect(readFileSync(join(person, 'agent.txt'), 'utf8').trim().split('\n')).toEqual([
    'planning',
    'architecting',
    'executing',
    'reviewing',
    'verifying',
  ]);
  const marks = turnFolders(host.home).flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  expect(
    marks.filter((path) => path.endsWith('.json')).map((path) => JSON.parse(readFileSync(path, 'utf8')) as unknown),
  ).not.toContain(null);
  expect(marks.filter((path) => path.includes('.stale'))).toEqual([]);
}

/** Why the last attempt of the open activity failed. */
async function failureOf(run: TestRun): Promise<string> {
  const { raw } = await run.handle.describe();
  return (raw.pendingActivities ?? []).map(({ lastFailure }) => JSON.stringify(lastFailure ?? '')).join();
}

/** Which tasks of a backlog run beside each other, and that none is lost. Source: docs/requirements/vibestrate.md. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import type { BacklogOf } from '../../support/backlog-client.js';
import { openProject } from '../../support/backlog-project.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../../support/failpoint-home.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { fixtureWith } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const TURNS = fixtureWith({ executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.', waitFor: 'go' } });

async function entriesOf(backlog: BacklogOf) {
  const { entries } = await backlog.status();
  return Object.fromEntries(entries.map(({ id, waitsFor }) => [id, waitsFor]));
}

describe('a backlog', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('V-132: starts no task before those that it depends on are done, and none beside one that says that it touches a file of it', async () => {
    const { backlog, repository } = await openProject(host, 'links', {
      fixture: TURNS,
      config: 'backlog:\n  maxConcurrent: 4\n  conflicts: block\n',
    });
    await backlog.create([
      { task: 'one', files: ['src/**'] },
      { task: 'two', files: ['src/a.ts'] },
      { task: 'three', dependsOn: ['#1'] },
      { task: 'four', files: ['docs'] },
    ]);
    await Promise.all(['1', '4'].map((id) => backlog.reaches(id, 'running')));
    expect(await entriesOf(backlog)).toEqual({
      '1': null,
      '4': null,
      '2': { kind: 'files', holder: '1' },
      '3': { kind: 'dependency', holder: '1' },
    });
    repository.release('go');
    await Promise.all(['1', '2', '4'].map((id) => backlog.reaches(id, 'parked')));
    expect((await backlog.item('3')).state).toBe('queued');
    await backlog.tell('1', 'done');

    const [one, two, three] = await Promise.all([backlog.item('1'), backlog.item('2'), backlog.reaches('3', 'parked')]);
    const at = ({ journal }: typeof one, to: string) => Date.parse(journal.find((line) => line.to === to)?.at ?? '');
    expect(at(two, 'running')).toBeGreaterThanOrEqual(at(one, 'parked'));
    expect(at(three, 'running')).toBeGreaterThanOrEqual(at(one, 'closed'));
    expect((await backlog.create([{ task: 'five', dependsOn: ['77'] }])).verdicts).toEqual([
      { kind: 'refused', why: 'it depends on 77, and there is no such task' },
    ]);
  });

  it('V-132: gives each person a turn where the order is fair', async () => {
    const { backlog, repository } = await openProject(host, 'fair', {
      fixture: TURNS,
      config: 'backlog:\n  maxConcurrent: 2\n  order: fair\n',
    });
    await backlog.say('pause');
    await backlog.create(['one', 'two']);
    await backlog.create(['three'], 'of-bob', 'bob');
    await backlog.say('resume');

    await Promise.all(['1', '3'].map((id) => backlog.reaches(id, 'running')));
    expect(await entriesOf(backlog)).toMatchObject({ '2': { kind: 'slot', holder: null } });
    repository.release('go');
    await backlog.reaches('2', 'parked');
  });

  it('V-132: a task whose start is killed runs all the same, and once', async () => {
    const killed = await openTestHost();
    try {
      const doomed = await killed.startWorker({ main: WORKER_WITH_FAILPOINT });
      const dead = once(doomed.process, 'exit');
      const { backlog, repository } = await openProject(killed, 'killed', {
        fixture: TURNS,
        config: 'backlog:\n  maxConcurrent: 1\n',
      });
      repository.release('go');
      armFailpoint(killed.home, { name: 'open.after-claim', nth: 1 });
      await backlog.create(['one']);
      await dead;
      expect(firedFailpoint(killed.home)).toBe('open.after-claim');
      await killed.startWorker();

      const item = await backlog.reaches('1', 'parked');

      expect(item).toMatchObject({ reason: 'unmerged', runs: 1 });
      const starts = readLedger(repository.ledgerPath).filter(
        (line) => line.event === 'START' && line.stage === 'executing',
      );
      expect(starts).toHaveLength(1);
      await until(async () => (await backlog.status()).slots === 0);
    } finally {
      await killed.close();
    }
  });
});

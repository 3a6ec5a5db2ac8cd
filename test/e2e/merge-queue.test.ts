/** A merge queue as Temporal's own tools use it: heads of closed runs land on one base, in order, whether it is checked out or not. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QUEUED_RUNS } from '../support/queued-repository.js';
import { closedRun, enqueueAll } from '../support/queued-runs.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

describe('a merge queue', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });
  afterAll(() => host.close());

  it('lands heads one after the other on a base that nobody uses, each checked as merged, be it by its run', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const runs = [];
    for (let n = 0; n < 3; n += 1) runs.push(await closedRun(host, repository));
    repository.git('checkout', '-q', '-b', 'elsewhere');

    const queue = await enqueueAll(host, runs);
    const view = await queue.ended();

    expect(view.results.map(({ state, runId }) => ({ state, runId }))).toEqual(
      runs.map((runId) => ({ state: 'merged', runId })),
    );
    const files = repository.git('ls-tree', '--name-only', 'main').split('\n');
    expect(files).toEqual(expect.arrayContaining(runs.map((runId) => `${runId}.txt`)));
    expect(repository.git('rev-list', '--count', '--first-parent', 'main').trim()).toBe('4');
    expect(repository.git('status', '--porcelain')).toBe('');
    // The first is on the base what it was when its run checked it.
    const { events } = await queue.handle.fetchHistory();
    const names = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name) ?? [];
    expect(names.filter((name) => name === 'checkTree')).toHaveLength(2);
  });

  it('makes a chain while the base is checked out, which a person takes by one fast-forward, and touches no file of theirs', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const runs = [await closedRun(host, repository), await closedRun(host, repository)];
    const before = repository.git('rev-parse', 'main');
    writeFileSync(join(repository.path, 'a.txt'), 'dirty\n');

    const queue = await enqueueAll(host, runs);
    await until(async () => (await queue.view()).entries.filter(({ state }) => state === 'ready').length === 2);
    const { use, chain } = await queue.view();
    expect(repository.git('rev-parse', 'main')).toBe(before);
    expect(use).toContain('checked out');
    repository.git('merge', '-q', '--ff-only', chain?.links.at(-1)?.commit ?? '');
    await queue.handle.executeUpdate('look', { args: [{}] });
    const { results } = await queue.ended();

    expect(results.map(({ state }) => state)).toEqual(['merged', 'merged']);
    expect(repository.git('status', '--porcelain').trim()).toBe('M a.txt');
    for (const runId of runs) expect(repository.git('ls-tree', '--name-only', 'main')).toContain(`${runId}.txt`);
  });

  it('refuses a conflict and what is red once merged, and lands the others', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const tasks = ['echo mine > a.txt', 'echo yours > a.txt', 'touch one', 'touch two'];
    const runs = [];
    for (const task of tasks) runs.push(await closedRun(host, repository, { task: `change\ndo: ${task}` }));
    repository.git('checkout', '-q', '--detach');

    const { results } = await (await enqueueAll(host, runs)).ended();

    expect(results.map(({ state, reason, files }) => ({ state, reason, files }))).toEqual([
      { state: 'merged', reason: null, files: [] },
      { state: 'exhausted', reason: 'conflict', files: ['a.txt'] },
      { state: 'merged', reason: null, files: [] },
      { state: 'exhausted', reason: 'red', files: [] },
    ]);
  });

  it('lands a run that was rewound from another with what it took over', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const source = await closedRun(host, repository);
    const rewound = await closedRun(host, repository, { rewind: { runId: source, stage: 'validating' } });
    repository.git('checkout', '-q', '--detach');

    const { results } = await (await enqueueAll(host, [rewound])).ended();

    expect(results.map(({ state, why }) => ({ state, why }))).toEqual([{ state: 'merged', why: null }]);
    expect(repository.git('ls-tree', '--name-only', 'main')).toContain(`${source}.txt`);
  });

  it('refuses a run that is not there, and lands the others', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const run = await closedRun(host, repository);
    repository.git('checkout', '-q', '--detach');

    const queue = await enqueueAll(host, [run, 'never-there', run]);
    const { results } = await queue.ended();

    expect(results.map(({ runId, state, reason }) => ({ runId, state, reason }))).toEqual([
      { runId: run, state: 'merged', reason: null },
      { runId: 'never-there', state: 'exhausted', reason: 'refused' },
    ]);
    expect(results[1]?.why).toContain('sluice list');
  });
});

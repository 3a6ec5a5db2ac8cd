/** What people and their git do beside a merge queue: it sees a base come free, knows what others merged, and survives what is removed below it. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queueName } from '../../protocol/actors/merge-queue.js';
import { QUEUED_RUNS } from '../support/queued-repository.js';
import { closedRun, enqueueAll, type Queue } from '../support/queued-runs.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

const KEPT = `refs/sluice/${queueName({ repoKey: '', branch: 'main' })}`;
const TIP = `${KEPT}/tip`;

describe('a merge queue beside a person', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });
  afterAll(() => host.close());

  const areReady = (queue: Queue, count: number) =>
    until(async () => (await queue.view()).entries.filter(({ state }) => state === 'ready').length === count);

  it('sees that the checkout of its base went elsewhere, and is told by nobody', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const run = await closedRun(host, repository);
    const queue = await enqueueAll(host, [run]);
    await areReady(queue, 1);

    repository.git('checkout', '-q', '--detach');
    const { results } = await queue.ended();

    expect(results.map(({ state }) => state)).toEqual(['merged']);
    expect(repository.git('ls-tree', '--name-only', 'main')).toContain(`${run}.txt`);
  });

  it('tells of a watched head that somebody merged or squashed, and lands none itself', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const runs = [
      await closedRun(host, repository),
      await closedRun(host, repository),
      await closedRun(host, repository),
    ];
    const [merged = '', squashed = '', withdrawn = ''] = runs;
    repository.git('checkout', '-q', '-b', 'elsewhere');
    const queue = await enqueueAll(host, runs, { watch: true });
    await until(async () => (await queue.view()).entries.length === 3);
    const before = repository.git('rev-parse', 'main');

    repository.git('checkout', '-q', 'main');
    repository.git('merge', '-q', '--no-edit', `sluice/${merged}`);
    await until(async () => (await queue.view()).results.length === 1);
    repository.git('merge', '-q', '--squash', `sluice/${squashed}`);
    repository.git('commit', '-q', '-m', 'a squash of somebody');
    await until(async () => (await queue.view()).results.length === 2);
    await queue.handle.signal('withdraw', { id: `hand/1/${withdrawn}/1` });
    const { results } = await queue.ended();

    expect(results.map(({ runId, state, reason }) => ({ runId, state, reason }))).toEqual([
      { runId: merged, state: 'merged', reason: null },
      { runId: squashed, state: 'exhausted', reason: 'nothing_left' },
      { runId: withdrawn, state: 'withdrawn', reason: null },
    ]);
    expect(repository.git('rev-list', '--count', '--first-parent', `${before.trim()}..main`).trim()).toBe('2');
  });

  it('puts back the ref that keeps its chain, so that no commit of it is pruned', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const runs = [await closedRun(host, repository), await closedRun(host, repository)];
    const queue = await enqueueAll(host, runs);
    await areReady(queue, 2);
    const tip = repository.git('rev-parse', TIP).trim();

    for (const moved of [
      ['-d', TIP],
      [TIP, 'main'],
    ]) {
      repository.git('update-ref', ...moved);
      await queue.handle.executeUpdate('look', { args: [{}] });
      await until(() => repository.git('for-each-ref', '--format=%(objectname)', TIP).trim() === tip);
    }
    repository.git('gc', '-q', '--prune=now');
    repository.git('checkout', '-q', '--detach');
    const { results } = await queue.ended();

    expect(results.map(({ state, commit }) => ({ state, isTip: commit === tip }))).toEqual([
      { state: 'merged', isTip: false },
      { state: 'merged', isTip: true },
    ]);
    expect(repository.git('rev-parse', 'main').trim()).toBe(tip);
  });

  it('makes a chain anew whose commits were pruned with the refs that kept them', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const runs = [await closedRun(host, repository), await closedRun(host, repository)];
    const queue = await enqueueAll(host, runs);
    await areReady(queue, 2);
    const tip = repository.git('rev-parse', TIP).trim();

    for (const ref of [TIP, `${KEPT}/next`]) repository.git('update-ref', '-d', ref);
    repository.git('gc', '-q', '--prune=now');
    repository.git('checkout', '-q', '--detach');
    const { results } = await queue.ended();

    expect(results.map(({ state }) => state)).toEqual(['merged', 'merged']);
    expect(results.at(-1)?.commit).not.toBe(tip);
    expect(repository.git('rev-parse', 'main').trim()).toBe(results.at(-1)?.commit);
    for (const run of runs) expect(repository.git('ls-tree', '--name-only', 'main')).toContain(`${run}.txt`);
  });

  it('refuses heads of another repository, another host and no run, and garbage leaves it as it is', async () => {
    const [repository, other] = [await host.repository(QUEUED_RUNS), await host.repository(QUEUED_RUNS)];
    const [run, foreign] = [await closedRun(host, repository), await closedRun(host, other)];
    repository.git('checkout', '-q', '--detach');

    const queue = await enqueueAll(host, [run, foreign, 'never-there']);
    for (const garbage of [
      null,
      7,
      [],
      'x'.repeat(2_000),
      { id: 'x' },
      { id: 'x', runId: '../..', owner: 'o', host: 'h' },
    ])
      await queue.handle.signal('enqueue', garbage).catch(() => undefined);
    const { results } = await queue.ended();

    expect(results.map(({ runId, state, reason }) => ({ runId, state, reason }))).toEqual([
      { runId: run, state: 'merged', reason: null },
      { runId: foreign, state: 'exhausted', reason: 'refused' },
      { runId: 'never-there', state: 'exhausted', reason: 'refused' },
    ]);
    expect(repository.git('ls-tree', '--name-only', 'main')).not.toContain(foreign);
  });

  it('lands no commit that somebody names by hand, be it there or not', async () => {
    const repository = await host.repository(QUEUED_RUNS);
    const run = await closedRun(host, repository);
    repository.git('checkout', '-q', '-b', 'elsewhere');
    repository.git('commit', '-q', '--allow-empty', '-m', 'of nobody');
    const before = repository.git('rev-parse', 'main');

    for (const head of [repository.git('rev-parse', 'HEAD').trim(), 'f'.repeat(40), '--all']) {
      const queue = await enqueueAll(host, [run], { id: `hand/${head}`, head });
      const { results } = await queue.ended();
      expect(results.at(-1)).toMatchObject({ id: `hand/${head}`, state: 'exhausted', reason: 'refused' });
    }
    expect(repository.git('rev-parse', 'main')).toBe(before);
  });

  it('is terminated under a check, and the queue after it ends that check and lands the head once', async () => {
    const go = join(host.home, 'go');
    const begun = join(host.home, 'begun');
    const blocks = `[ ! -e mine.txt ] || [ ! -e theirs.txt ] || { echo $$ >> ${begun}; until [ -e ${go} ]; do sleep 0.1; done; }`;
    const config = QUEUED_RUNS.config.replace(/commands: .*/, `commands: ["${blocks}"]`);
    const repository = await host.repository({ ...QUEUED_RUNS, config });
    const run = await closedRun(host, repository, { task: 'change\ndo: touch mine.txt' });
    writeFileSync(join(repository.path, 'theirs.txt'), '');
    repository.git('add', 'theirs.txt');
    repository.git('commit', '-q', '-m', 'theirs');
    repository.git('checkout', '-q', '--detach');
    const first = await enqueueAll(host, [run]);
    await until(() => existsSync(begun));

    await first.handle.terminate('by a person');
    const second = await enqueueAll(host, [run]);
    writeFileSync(go, '');
    const { results } = await second.ended();

    expect(results.map(({ state }) => state)).toEqual(['merged']);
    expect(repository.git('rev-list', '--count', '--first-parent', 'HEAD..main').trim()).toBe('1');
  });
});

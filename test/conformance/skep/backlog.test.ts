/** A backlog on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import { type BacklogOf, idsOf, openBacklog } from '../../support/backlog-client.js';
import { openProject } from '../../support/backlog-project.js';
import { BacklogWorld } from '../../support/backlog-world.js';
import { openHostOn, openOwnServer } from '../../support/own-server.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { fixtureWith, type TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const DAY_MS = 24 * 60 * 60_000;

const TURNS = fixtureWith({ executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.', waitFor: 'go' } });

function branchesOf({ git }: TestRepository): readonly string[] {
  return git('branch', '--list', '--format=%(refname:short)', 'sluice/*')
    .split('\n')
    .filter((name) => name !== '');
}

/** Why an Update was refused. */
function causeOf(error: unknown): string | undefined {
  return error instanceof WorkflowUpdateFailedError ? error.cause?.message : undefined;
}

/** When each of its runs was at work. */
async function timesOf(
  backlog: BacklogOf,
  ids: readonly string[],
): Promise<readonly { readonly from: number; readonly to: number }[]> {
  const items = await Promise.all(ids.map((id) => backlog.reaches(id, 'parked')));
  return items.map(({ journal }) => {
    const at = (to: string) => Date.parse(journal.find((line) => line.to === to)?.at ?? '');
    return { from: at('running'), to: at('parked') };
  });
}

describe('a backlog', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('S-05, S-06: a task has a number of its own, one for each key, however often and by whomever it is sent', async () => {
    const { backlog } = await openProject(host, 'numbers');
    await backlog.say('pause');

    const both = await Promise.all([backlog.create(['one'], 'same'), backlog.create(['one'], 'same')]);
    const other = await backlog.create(['one', 'two']);

    expect(both.map(idsOf)).toEqual([['1'], ['1']]);
    expect(idsOf(other)).toEqual(['2', '3']);
    expect(idsOf(await backlog.create(['one'], 'same'))).toEqual(['1']);
    expect((await backlog.create(['another text'], 'same')).verdicts).toEqual([
      { kind: 'refused', why: 'its key is that of item 1, which has another text' },
    ]);
    expect((await backlog.status()).counts).toMatchObject({ gated: 0, queued: 3, running: 0, parked: 0 });
  });

  it('S-05: a repository has one backlog, whatever a task is sent to', async () => {
    const { repository } = await openProject(host, 'home');
    const other = await openBacklog(host.client, { project: 'other', repo: repository.path, host: host.hostId });

    const { verdicts } = await other.create(['one', { again: '1', runs: 0 }]);

    expect(verdicts).toMatchObject([
      { kind: 'refused', why: expect.stringContaining('belong to the backlog home, not to other') },
      { kind: 'refused', why: 'there is no task 1 on this host any more' },
    ]);
  });

  it('S-04: a task of 4096 bytes is taken and one of 4097 refused before any turn', async () => {
    const { backlog, repository } = await openProject(host, 'long');
    await backlog.say('pause');

    const refused = await backlog.create(['a'.repeat(4097)]).catch((error: unknown) => error);

    expect(causeOf(refused)).toContain('create.tasks[0].task has 4097 bytes; at most 4096 are taken');
    expect(idsOf(await backlog.create(['a'.repeat(4096)]))).toEqual(['1']);
    expect(readLedger(repository.ledgerPath)).toEqual([]);
  });

  it('S-54, S-58: three that were approved run one after the other, the first approved first, each when the one before is parked', async () => {
    const { backlog } = await openProject(host, 'serial', { config: 'backlog:\n  gate: start\n' });
    await backlog.create(['one', 'two', 'three']);
    for (const id of ['2', '1', '3']) await backlog.tell(id, 'approve');

    const times = await timesOf(backlog, ['2', '1', '3']);

    for (const [at, { to }] of times.slice(0, -1).entries()) expect(times[at + 1]?.from).toBeGreaterThanOrEqual(to);
    expect(await backlog.item('1')).toMatchObject({
      state: 'parked',
      reason: 'unmerged',
      run: 'serial-1',
      runs: 1,
      result: { outcome: 'merge_ready', verdict: 'verified' },
    });
  });

  it('S-02: each transition of a task is in its journal, with where from, where to, what made it and who', async () => {
    const { backlog } = await openProject(host, 'journal', { config: 'backlog:\n  gate: start\n' });
    await backlog.create(['one']);
    await backlog.tell('1', 'approve', { by: 'bob' });
    await backlog.reaches('1', 'parked');
    await backlog.tell('1', 'remove', { by: 'eve' });

    const { journal } = await backlog.reaches('1', 'closed');

    expect(journal.map(({ from, to, reason, driver, actor }) => [from, to, reason, driver, actor])).toEqual([
      [null, 'gated', 'start', 'create', 'ann'],
      ['gated', 'queued', null, 'approve', 'bob'],
      ['queued', 'running', null, 'engine', null],
      ['running', 'parked', 'unmerged', 'engine', null],
      ['parked', 'closed', 'deleted', 'remove', 'eve'],
    ]);
  });

  it('S-55: runs two at once where two may, the higher priority first', async () => {
    const options = { fixture: TURNS, config: 'backlog:\n  maxConcurrent: 2\n  order: priority\n' };
    const { backlog, repository } = await openProject(host, 'two', options);
    await backlog.say('pause');
    await backlog.create(['low', { task: 'high', priority: 5 }, { task: 'higher', priority: 7 }]);
    await backlog.say('resume');

    // By the backlog itself, which hears of it later than the tasks.
    await until(async () => (await backlog.status()).counts.running === 2);
    expect((await backlog.status()).entries).toMatchObject([
      { id: '3', state: 'running', slot: true },
      { id: '2', state: 'running', slot: true },
      { id: '1', state: 'queued', slot: false, waitsFor: { kind: 'slot', holder: null } },
    ]);
    repository.release('go');
    await backlog.reaches('1', 'parked');
  });

  it('S-53, S-56: a task is running when its branch is there, and is not rejected then', async () => {
    const { backlog, repository } = await openProject(host, 'opening', { fixture: TURNS });
    await backlog.create(['one']);
    await backlog.reaches('1', 'running');

    expect(branchesOf(repository)).toEqual(['sluice/task-1-one']);
    expect(causeOf(await backlog.tell('1', 'reject').catch((error: unknown) => error))).toBe(
      'it is running; stop it first',
    );
    repository.release('go');
    await backlog.reaches('1', 'parked');
    await backlog.tell('1', 'reject', { by: 'bob', note: 'solved elsewhere' });
    expect(await backlog.reaches('1', 'closed')).toMatchObject({ reason: 'rejected' });
  });

  it('S-05: a task has a branch of its own name: its number and at most four words, below the prefix', async () => {
    const { backlog, repository } = await openProject(host, 'slugs', {
      config: 'branch:\n  prefix: team/\nbacklog:\n  maxConcurrent: 4\n',
    });
    await backlog.create([
      'Fix the parser of the shop and its tests',
      'Überprüfe a/../b; rm -rf',
      '它',
      'extraordinarily-long-words',
    ]);

    const items = await Promise.all(['1', '2', '3', '4'].map((id) => backlog.reaches(id, 'parked')));

    expect(items.map(({ run, result }) => [run, result?.branch])).toEqual([
      ['slugs-1', 'team/task-1-fix-parser-shop-tests'],
      ['slugs-2', 'team/task-2-uberprufe-b-rm-rf'],
      ['slugs-3', 'team/task-3'],
      ['slugs-4', 'team/task-4-extraordinarily-long-words'],
    ]);
    expect(branchesOf(repository)).toEqual([]);
    expect(repository.git('branch', '--list', 'team/*').split('\n').filter(Boolean)).toHaveLength(4);
  });

  it('S-85: a task that is stopped and run again goes on at its branch, with every commit as it was', async () => {
    const fixture = fixtureWith({
      executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.' },
      reviewing: { text: 'Looks right.', decision: 'APPROVED', waitFor: 'go' },
    });
    const { backlog, repository } = await openProject(host, 'resumed', { fixture });
    const at = (stage: string) =>
      readLedger(repository.ledgerPath).filter((line) => line.stage === stage && line.event === 'START');
    await backlog.create(['one']);
    await until(() => at('reviewing').length === 1);
    await backlog.tell('1', 'stop');
    const stopped = await backlog.reaches('1', 'parked');
    const before = repository.git('rev-parse', 'sluice/task-1-one');
    repository.release('go');

    await backlog.tell('1', 'run', { by: 'bob', note: 'go on' });
    await until(async () => (await backlog.item('1')).runs === 2 && (await backlog.item('1')).state === 'parked');

    const item = await backlog.item('1');
    expect(item).toMatchObject({ reason: 'unmerged', run: 'resumed-1.2', result: { branch: 'sluice/task-1-one' } });
    expect(stopped).toMatchObject({ reason: 'stopped', run: 'resumed-1' });
    expect(item.journal.map(({ to, driver, actor }) => `${to} ${driver} ${actor}`)).toEqual([
      'queued create ann',
      'running engine null',
      'parked stop ann',
      'queued run bob',
      'running engine null',
      'parked engine null',
    ]);
    expect(repository.git('rev-parse', 'sluice/task-1-one')).toBe(before);
    expect([at('executing').length, at('reviewing').length]).toEqual([1, 2]);
    expect(branchesOf(repository)).toEqual(['sluice/task-1-one']);
  });

  it('S-88: a closed task is run again under its number, from its branch, with every commit as it was', async () => {
    const { backlog, repository } = await openProject(host, 'reopened');
    await backlog.create(['one', { task: 'two', dependsOn: ['#1'] }]);
    await backlog.reaches('1', 'parked');
    await backlog.tell('1', 'done');
    await backlog.reaches('2', 'parked');
    const before = repository.git('rev-parse', 'sluice/task-1-one');

    const { verdicts } = await backlog.create([{ again: '1', runs: 0 }], 'again', 'bob');
    await until(async () => (await backlog.item('1')).run === 'reopened-1.2');
    const item = await backlog.reaches('1', 'parked');

    expect(verdicts).toEqual([{ kind: 'known', id: '1', title: 'one' }]);
    expect(item.journal.map(({ from, to, driver, actor }) => `${from} ${to} ${driver} ${actor}`)).toEqual([
      'parked closed done ann',
      'closed queued run bob',
      'queued running engine null',
      'running parked engine null',
    ]);
    expect(item).toMatchObject({ runs: 2, result: { branch: 'sluice/task-1-one' } });
    expect(repository.git('rev-parse', 'sluice/task-1-one')).toBe(before);
    await backlog.tell('1', 'done');
    await backlog.reaches('1', 'closed');
    await backlog.create([{ again: '1', runs: 0 }], 'again', 'bob');
    expect(await backlog.item('1')).toMatchObject({ state: 'closed', runs: 2 });
    expect((await backlog.create([{ again: '9', runs: 0 }])).verdicts).toEqual([
      { kind: 'refused', why: 'there is no task 9 on this host any more' },
    ]);
  });

  it('S-88: a parked task is closed once its days are over, and not before', () => {
    const world = new BacklogWorld({ parkedDays: 30 });
    world.create('k', [{ task: 'one' }]);
    world.settle();
    world.end('shop-1', 'failed');
    world.settle();
    world.wait(29 * DAY_MS);
    const before = world.items.get('1')?.state;
    world.wait(2 * DAY_MS);
    world.settle();

    expect([before, world.items.get('1')?.state, world.items.get('1')?.reason]).toEqual([
      'parked',
      'closed',
      'expired',
    ]);
  });

  it('S-77: a checkout that is dirty and stands on the base is as it was after its tasks', async () => {
    const { backlog, repository } = await openProject(host, 'dirty', { config: 'landing: auto\n' });
    repository.write('a.txt', 'half a thought\n');
    repository.write('mine.txt', 'mine\n');
    const before = repository.git('status', '--porcelain');
    const base = repository.git('rev-parse', 'HEAD');
    await backlog.create(['one']);

    const item = await backlog.reaches('1', 'parked');

    expect(item).toMatchObject({ reason: 'unmerged', result: { outcome: 'merge_ready' } });
    expect(repository.git('merge-base', 'main', 'sluice/task-1-one')).toBe(base);
    expect(repository.git('status', '--porcelain')).toBe(before);
    expect(repository.git('rev-parse', 'HEAD')).toBe(base);
  });

  it('S-103: a task whose tests fail is not done, and tests that nobody trusts start nothing', async () => {
    const { backlog, repository } = await openProject(host, 'failing', {
      fixture: fixtureWith({ executing: { append: { 'a.txt': 'other\n' }, text: 'Added a line.' } }),
      config: 'rounds: 0\n',
    });
    await backlog.create(['one']);
    const failed = await backlog.reaches('1', 'parked');
    repository.write(
      '.sluice/config.yaml',
      repository.configText.replace('grep -q changed', 'touch owned; grep -q changed'),
    );
    repository.git('commit', '-qam', 'other tests');

    const changed = await backlog.create(['two']);

    expect(failed).toMatchObject({ reason: 'blocked', result: { outcome: 'blocked' } });
    expect(changed.verdicts).toMatchObject([{ kind: 'refused', why: expect.stringContaining('trust') }]);
  });

  it('S-03: each word is taken in its states alone; else it is answered with the state and what can be said', async () => {
    const { backlog, repository } = await openProject(host, 'words', { fixture: TURNS });
    await backlog.create(['running', 'queued', { task: 'gated', gate: 'start' }, 'parked']);
    await backlog.reaches('1', 'running');
    await backlog.tell('4', 'stop');
    await backlog.reaches('4', 'parked');
    const refused = async (id: string, name: string) =>
      causeOf(await backlog.tell(id, name).catch((error: unknown) => error)) ?? 'taken';

    const answers = await Promise.all(
      Object.entries({
        '3': ['run', 'stop'],
        '2': ['approve'],
        '1': ['approve', 'reject', 'remove'],
        '4': ['approve'],
      }).flatMap(([id, names]) => names.map(async (name) => `${name}: ${await refused(id, name)}`)),
    );

    expect(answers.toSorted()).toEqual([
      'approve: it is parked (stopped); it takes reject, run, set, done, remove',
      'approve: it is queued; it takes reject, stop, pause, resume, set, done, remove',
      'approve: it is running; it takes stop, pause, resume, set, done',
      'reject: it is running; stop it first',
      'remove: it is running; stop it first',
      'run: it is gated (start); it takes approve, reject, pause, resume, set, done, remove',
      'stop: it is gated (start); it takes approve, reject, pause, resume, set, done, remove',
    ]);
    repository.release('go');
    await backlog.reaches('2', 'parked');
    await backlog.tell('2', 'reject');
    await backlog.reaches('2', 'closed');
    await expect(backlog.tell('2', 'approve')).rejects.toThrow(/not found|completed/);
  });

  it('S-87: a task is done by a word from each state, by whom and why; a running turn is ended first', async () => {
    const { backlog, repository } = await openProject(host, 'done', { fixture: TURNS });
    await backlog.create(['running', 'queued', { task: 'gated', gate: 'start' }, 'parked']);
    await until(() => readLedger(repository.ledgerPath).some(({ stage }) => stage === 'executing'));
    await backlog.tell('4', 'stop');
    await backlog.reaches('4', 'parked');

    for (const id of ['1', '2', '3', '4']) await backlog.tell(id, 'done', { by: 'bob', note: 'did it by hand' });

    const items = await Promise.all(['1', '2', '3', '4'].map((id) => backlog.reaches(id, 'closed')));
    expect(items.map(({ reason, journal }) => [reason, journal.at(-1)])).toMatchObject(
      ['running', 'queued', 'gated', 'parked'].map((from) => [
        'forced',
        { from, to: 'closed', driver: 'done', actor: 'bob', note: 'did it by hand' },
      ]),
    );
    expect(items[0]?.result).toMatchObject({ outcome: 'aborted' });
    const words = readLedger(repository.ledgerPath).filter(({ stage }) => stage === 'executing');
    expect(words.map(({ event }) => event)).toEqual(['START']);
    expect(branchesOf(repository)).toEqual(['sluice/task-1-running']);
  });

  it('S-78, S-79: a task is done once its head is on its base, by the merge queue or by somebody else', async () => {
    const auto = await openProject(host, 'auto', { config: 'landing: auto\n' });
    const watch = await openProject(host, 'watch', { config: 'landing: watch\n' });
    for (const { repository, backlog } of [auto, watch]) {
      repository.git('checkout', '-q', '-b', 'elsewhere');
      await backlog.create([{ task: 'one', base: 'main' }]);
    }

    const landed = await auto.backlog.reaches('1', 'closed');
    await watch.backlog.reaches('1', 'parked');
    watch.repository.git('checkout', '-q', 'main');
    watch.repository.git('merge', '-q', '--no-ff', '--no-edit', 'sluice/task-1-one');
    const merged = await watch.backlog.reaches('1', 'closed');

    expect([landed.reason, merged.reason]).toEqual(['merged', 'merged']);
    expect(auto.repository.git('show', 'main:a.txt')).toContain('changed');
    expect(landed.journal.map(({ to, reason }) => reason ?? to)).toEqual(['queued', 'running', 'unmerged', 'merged']);
  });

  it('S-78, S-81: a task whose run fails, is stopped or changes nothing is parked, and not done', async () => {
    const failing = { fixture: fixtureWith({ executing: { text: 'oh', exit: 1 } }) };
    const idle = { fixture: fixtureWith({ executing: { text: 'There is nothing to do.' } }) };
    const [failed, none, stopped] = await Promise.all([
      openProject(host, 'failed', failing),
      openProject(host, 'none', { ...idle, config: 'landing: auto\n' }),
      openProject(host, 'stopped', { fixture: TURNS }),
    ]);
    for (const { backlog } of [failed, none, stopped]) await backlog.create(['one']);
    await stopped.backlog.reaches('1', 'running');
    await stopped.backlog.tell('1', 'stop');

    const items = await Promise.all([failed, none, stopped].map(({ backlog }) => backlog.reaches('1', 'parked')));

    expect(items.map(({ reason }) => reason)).toEqual(['executor_error', 'no_commits', 'stopped']);
    expect(none.repository.git('rev-parse', 'sluice/task-1-one')).toBe(none.repository.git('rev-parse', 'main'));
  });
});

describe('a backlog whose server and worker die', () => {
  it('S-57: keeps five queued tasks, and runs each of them once', async () => {
    const server = await openOwnServer();
    const host = await openHostOn(server);
    try {
      const worker = await host.startWorker();
      const { backlog, repository } = await openProject(host, 'survivors', { fixture: TURNS });
      const ids = idsOf(await backlog.create(['one', 'two', 'three', 'four', 'five', 'six']));
      await backlog.reaches('1', 'running');
      await Promise.all([worker.kill(), server.kill()]);
      repository.release('go');
      await server.start();
      await host.startWorker();

      const items = await Promise.all(ids.map((id) => backlog.reaches(id, 'parked')));

      expect(items.map(({ reason, runs }) => `${reason} ${runs}`)).toEqual(Array(6).fill('unmerged 1'));
      const starts = readLedger(repository.ledgerPath).filter(
        ({ stage, event }) => stage === 'executing' && event === 'START',
      );
      expect(starts).toHaveLength(6);
    } finally {
      await host.close();
      await server.close();
    }
  });
});

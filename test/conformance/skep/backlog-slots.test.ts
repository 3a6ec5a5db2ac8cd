/** The slots of a backlog on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openProject } from '../../support/backlog-project.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { fixtureWith } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

describe('a slot', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('S-58: a task that waits for a person lets the next one start, and goes on at once when that person has decided', async () => {
    const fixture = fixtureWith({
      executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.', waitFor: 'go' },
    });
    const { backlog, repository } = await openProject(host, 'gated', { fixture });
    const policy = { gates: { stages: ['executing'] } };
    await backlog.create([{ task: 'one', attended: true, policy }, 'two']);

    await until(async () => (await backlog.item('1')).waits === 'person');
    // By the backlog itself, which hears of it later than the tasks.
    await until(async () => (await backlog.status()).counts.running === 2);
    expect((await backlog.status()).entries).toMatchObject([
      { id: '1', state: 'running', slot: false },
      { id: '2', state: 'running', slot: true },
    ]);
    await host.client.workflow.getHandle('gated-1').signal('approve', { by: 'ann' });
    await until(async () => (await backlog.status()).slots === 2);
    expect((await backlog.item('1')).waits).toBeNull();
    repository.release('go');

    expect(await backlog.reaches('1', 'parked')).toMatchObject({ reason: 'unmerged', runs: 1 });
    expect(await backlog.reaches('2', 'parked')).toMatchObject({ reason: 'unmerged', runs: 1 });
  });

  it('S-58: a task whose change is judged lets the next one start, where the backlog has it so', async () => {
    const fixture = fixtureWith({
      executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.' },
      reviewing: { text: 'All good.', decision: 'APPROVED', waitFor: 'judge' },
    });
    const config = 'backlog:\n  slotUntil: reviewing\n';
    const { backlog, repository } = await openProject(host, 'judged', { fixture, config });
    await backlog.create(['one', 'two']);

    await until(async () => {
      const { slots, counts } = await backlog.status();
      return slots === 0 && counts.running === 2;
    });
    repository.release('judge');

    for (const id of ['1', '2']) expect(await backlog.reaches(id, 'parked')).toMatchObject({ reason: 'unmerged' });
  });
});

describe('a task', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('S-85: is parked where its branch lost its commits, and goes on once somebody has brought them back', async () => {
    const fixture = fixtureWith({ executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.' } });
    const { backlog, repository } = await openProject(host, 'rewritten', { fixture });
    await backlog.create(['one']);
    const { result } = await backlog.reaches('1', 'parked');
    const [branch, head] = [result?.branch ?? '', result?.headSha ?? ''];
    const lines = repository.git('worktree', 'list', '--porcelain').split('\n');
    const worktree = lines[lines.indexOf(`branch refs/heads/${branch}`) - 2]?.slice('worktree '.length) ?? '';
    repository.git('-C', worktree, 'reset', '-q', '--hard', 'main');

    await backlog.tell('1', 'run');
    await until(async () => (await backlog.item('1')).reason === 'repository_changed');
    expect((await backlog.item('1')).why).toContain(`git -C ${worktree} merge ${head.slice(0, 12)}`);
    repository.git('-C', worktree, 'reset', '-q', '--hard', head);
    await backlog.tell('1', 'run');
    await until(async () => (await backlog.item('1')).reason === 'unmerged');

    expect(repository.git('rev-parse', branch).trim()).toBe(head);
  });
});

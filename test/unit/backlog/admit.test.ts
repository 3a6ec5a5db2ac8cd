/** Attempts of one admission on a real disk, of which the server gave one up though it is at work still. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAdmit } from '../../../activities/admission/admit.js';
import type { IndexOf } from '../../../activities/admission/dedup/index/index-thread.js';
import { TaskIndex } from '../../../activities/admission/dedup/index/task-index.js';
import { createFindBacklog } from '../../../activities/admission/find-backlog.js';
import { repoKeyOf } from '../../../activities/git/refs/find-repository.js';
import { addRepository } from '../../../config/home/host-list.js';
import type { AdmitInput, AdmitResult, AdmitTask } from '../../../protocol/actors/backlog.js';
import { until } from '../../support/until.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';
import { openHost } from '../run/opened-host.js';

afterAll(removeFolders);

const TASK: AdmitTask = {
  key: 'a#1',
  run: { task: 'fix the parser of dates' },
  priority: 0,
  gate: null,
  kind: 'change',
  dependsOn: [],
  files: [],
};

async function openAdmitting() {
  const { deps, run } = await openHost();
  const { repository } = run.record;
  await addRepository(deps.home.root, repository.root);
  const home = tempFolder();
  mkdirSync(join(home, '.config/sluice'), { recursive: true });
  const configure = (more = '') =>
    writeFileSync(
      join(home, '.config/sluice/config.yaml'),
      `agents: {robot: {command: cat}}\nadmission: {order: [dedup]}\n${more}`,
    );
  configure();
  const input: AdmitInput = {
    project: repository.project,
    repo: repository.root,
    repoKey: null,
    by: 'ann',
    known: 0,
    tasks: [TASK],
  };
  return { deps: { ...deps, environment: { HOME: home } }, input, configure };
}

const indexed: IndexOf = (place) => {
  const index = new TaskIndex(place);
  return { ask: async (request) => index.answer(request) };
};

/** Answers nothing before it is let go. */
function heldIndex() {
  const asked: string[] = [];
  let letGo = () => {};
  const isFree = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const indexOf: IndexOf = (place) => {
    const index = indexed(place);
    return {
      ask: async (request) => {
        asked.push(request.kind);
        await isFree;
        return index.ask(request);
      },
    };
  };
  return { asked, letGo, indexOf };
}

describe('an admission whose index is being built', () => {
  it('says that its host lives, and is followed by the next attempt, which compares nothing and finds its numbers', async () => {
    const { deps, input } = await openAdmitting();
    const { asked, letGo, indexOf } = heldIndex();
    const admit = createAdmit(deps, indexOf);
    let beats = 0;
    const attempt = (): Promise<AdmitResult> => {
      const environment = new MockActivityEnvironment();
      environment.on('heartbeat', () => {
        beats += 1;
      });
      return environment.run(() => admit(input));
    };
    const attempts = [attempt(), attempt()];
    await until(() => asked.length > 0 && beats > 2);
    letGo();

    const admitted = (await Promise.all(attempts)).flatMap(({ tasks }) => tasks);
    // Whichever came first.
    for (const isKnown of [false, true])
      expect(admitted).toContainEqual(
        expect.objectContaining({
          isKnown,
          item: expect.objectContaining({ id: '1', dedup: expect.objectContaining({ duplicate: null }) }),
        }),
      );
    expect(asked.filter((kind) => kind === 'compare')).toHaveLength(1);
  });
});

describe('a task that was closed as a duplicate', () => {
  it('keeps the record that it was begun by, where it is forced once it is open', async () => {
    const { deps, input } = await openAdmitting();
    const admit = createAdmit(deps, indexed);
    const hashesOf = async (...tasks: readonly AdmitTask[]) => {
      const admitted: AdmitResult = await new MockActivityEnvironment().run(() => admit({ ...input, tasks }));
      return admitted.tasks.map((task) => (task.kind === 'admitted' ? task.item.hash : task));
    };
    const reopened = { again: '2', runs: 0, note: null, key: 'b#1' };
    const [, asItCame] = await hashesOf(TASK, { ...TASK, key: 'a#2' });

    expect(await hashesOf(reopened)).toEqual([asItCame]);
    expect(await hashesOf({ ...reopened, key: 'c#1', force: true })).toEqual([asItCame]);
  });
});

describe('a list of tasks that is compared anew', () => {
  it('waits for its own task, once that is no duplicate any more', async () => {
    const { deps, input } = await openAdmitting();
    // One index for all admissions, as a worker has it.
    const index = indexed({
      dir: deps.home.itemsDir(repoKeyOf('host', join(input.repo, '.git'))),
      project: input.project,
    });
    const admit = createAdmit(deps, () => index);
    const act = async (part: Partial<AdmitInput>) => {
      const admitted: AdmitResult = await new MockActivityEnvironment().run(() => admit({ ...input, ...part }));
      return admitted.tasks.map((task) => (task.kind === 'admitted' ? [task.item.id, task.item.dependsOn] : task));
    };
    const list = [
      { ...TASK, key: 'b#1' },
      { ...TASK, key: 'b#2', run: { task: 'write a page about the command line' }, dependsOn: ['#1'] },
    ];
    await act({});
    expect(await act({ tasks: list, known: 1 })).toEqual([
      ['2', []],
      ['3', ['1']],
    ]);

    const closed = [{ id: '1', reason: null, at: new Date().toISOString() }];
    const anew = list.map((task) => ({ ...task, recompare: true as const }));
    expect(await act({ tasks: anew, known: 3, closed })).toEqual([
      ['2', []],
      ['3', ['2']],
    ]);
  });
});

describe('a repository whose backlog has another name than before', () => {
  it('has no task under the keys and numbers of that one: none of them is run once more', async () => {
    const { deps, input, configure } = await openAdmitting();
    const admit = createAdmit(deps, indexed);
    const act = (part: Partial<AdmitInput>): Promise<AdmitResult> =>
      new MockActivityEnvironment().run(() => admit({ ...input, ...part }));
    await act({});
    configure('project: {name: other}\n');
    const next = { ...TASK, run: { task: 'write the changelog' } };
    const tasks = [TASK, { ...next, key: 'a#2', dependsOn: ['#1'] }, { ...next, key: 'b#1', dependsOn: ['1'] }];

    expect((await act({ project: 'other', tasks })).tasks).toEqual([
      { kind: 'refused', why: `its key is that of item 1 of the backlog ${input.project}; give it another key` },
      { kind: 'refused', why: 'it depends on #1, and there is no such task' },
      { kind: 'refused', why: 'it depends on 1, and there is no such task' },
    ]);
  });
});

describe('the backlog of a repository', () => {
  it('is looked for under heartbeats, however long its git takes', async () => {
    const { deps, input } = await openAdmitting();
    const passed: string[] = [];
    const findBacklog = createFindBacklog({ ...deps, failpoint: (name) => passed.push(name) });
    const found = await new MockActivityEnvironment().run(() => findBacklog({ repo: input.repo, base: null }));

    expect(found).toEqual({ hostId: 'host', project: input.project });
    expect(passed).toContain('activity.before-work');
  });
});

/** One developer with main checked out: tasks land behind each other in a chain, begin behind what is ready there, and are taken by one command. Source: V-132, S-77. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { landingId } from '../../protocol/names.js';
import type { BacklogOf } from '../support/backlog-client.js';
import { openProject } from '../support/backlog-project.js';
import { sluiceBeside } from '../support/host-cli.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const CONFIG =
  'landing:\n  mode: auto\n  needs: checked\nstageList: [executing, validating]\nbacklog:\n  maxConcurrent: 2\n';

/** Each task leaves a file of its own name, and a list of those that it found. */
const EACH = 'me="$(basename "$PWD")"; ls *.txt > "$me.seen"; echo changed > "$me.txt"';

const options = (executing: object = {}) => ({
  config: CONFIG,
  files: { 'a.txt': 'changed\n' },
  fixture: { ledger: 'ledger.txt', stages: { executing: { run: EACH, text: 'Added a file.', ...executing } } },
});

/** Until it is checked as merged, in the chain. */
async function isReady(backlog: BacklogOf, id: string): Promise<void> {
  await until(async () => (await backlog.item(id).catch(() => null))?.head === 'ready');
}

function seenBy({ git }: TestRepository, name: string): readonly string[] {
  return git('show', `main:${name}.seen`).trim().split('\n');
}

describe('tasks whose base is checked out', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  const takeAll = ({ path }: TestRepository) => sluiceBeside(host, ['land', '--update-checkout'], { cwd: path });

  it('V-132, S-77: wait in a chain with those that depend on them, each behind what it needs, until one command takes them all', async () => {
    const { backlog, repository } = await openProject(host, 'morning', options());
    repository.write('a.txt', 'changed, and half a thought\n');
    const before = repository.git('rev-parse', 'main');

    await backlog.create([
      'one',
      'two',
      { task: 'three', dependsOn: ['#1'] },
      { task: 'four', dependsOn: ['#2', '#3'] },
    ]);
    for (const id of ['1', '2', '3', '4']) await isReady(backlog, id);
    expect(repository.git('rev-parse', 'main')).toBe(before);
    const taken = await takeAll(repository);

    expect(taken).toMatchObject({ code: 0 });
    for (const id of ['1', '2', '3', '4'])
      expect(await backlog.reaches(id, 'closed')).toMatchObject({ reason: 'merged', head: null });
    expect(seenBy(repository, 'morning-3')).toContain('morning-1.txt');
    expect(seenBy(repository, 'morning-4')).toEqual(expect.arrayContaining(['morning-2.txt', 'morning-3.txt']));
    expect(repository.git('status', '--porcelain')).toBe(' M a.txt\n');
  });

  describe('where the chain changes while a task is at work behind a link of it', () => {
    async function twoAtWork(project: string) {
      // Only the second waits: it finds the file of the first.
      const waits = `${EACH}; if [ -e ${project}-1.txt ] && [ "$me" != ${project}-1 ]; then while [ ! -e "$HOME/${project}" ]; do sleep 0.1; done; fi`;
      const at = await openProject(host, project, options({ run: waits }));
      await at.backlog.create(['one', { task: 'two', dependsOn: ['#1'] }]);
      await isReady(at.backlog, '1');
      await at.backlog.reaches('2', 'running');
      return { ...at, release: () => writeFileSync(join(host.env['HOME'] ?? '', project), '') };
    }

    it('V-132: it lands behind the link as that was made anew, with what a person committed meanwhile', async () => {
      const { backlog, repository, release } = await twoAtWork('anew');
      const first = repository.git('rev-parse', 'refs/heads/sluice/task-2-two');
      repository.write('b.txt', 'mine\n');
      repository.git('add', 'b.txt');
      repository.git('commit', '-qm', 'mine');
      await until(() => repository.git('for-each-ref', '--contains', 'main', 'refs/sluice').includes('/tip'));
      release();

      await isReady(backlog, '2');
      await isReady(backlog, '1');
      const taken = await takeAll(repository);

      expect(taken).toMatchObject({ code: 0 });
      for (const id of ['1', '2']) expect(await backlog.reaches(id, 'closed')).toMatchObject({ reason: 'merged' });
      expect(repository.git('ls-files')).toContain('anew-2.txt');
      expect(repository.git('show', 'main:b.txt')).toBe('mine\n');
      // It was made on a link that never reached main.
      expect(repository.git('rev-list', '--first-parent', 'main')).not.toContain(first.trim());
    });

    it('V-132: a person is asked where that was taken out, since it would come back', async () => {
      const { backlog, repository, release } = await twoAtWork('dropped');
      const dropped = await sluiceBeside(host, ['landings', 'drop', 'dropped-1', '--reason', 'not this'], {
        cwd: repository.path,
      });
      expect(dropped).toMatchObject({ code: 0 });
      await until(async () => (await backlog.item('1')).head === 'waiting');
      release();

      await until(async () => {
        const landing = await host.client.workflow
          .getHandle(landingId('dropped-2'))
          .query<{ readonly gate: { readonly reason: string } | null }>('status')
          .catch(() => null);
        return landing?.gate?.reason === 'base_rewritten';
      });
      // Its landing tells it a moment later.
      await until(async () => (await backlog.item('2')).head === 'waiting');
      expect(await backlog.item('2')).toMatchObject({ state: 'parked', reason: 'unmerged' });
      // What begins now has nothing of it.
      await backlog.create(['three']);
      await isReady(backlog, '3');
      const main = repository.git('rev-parse', 'main');
      expect(repository.git('merge-base', 'main', 'sluice/task-3-three')).toBe(main);
      expect(repository.git('ls-tree', '--name-only', 'sluice/task-3-three')).not.toContain('dropped-1.txt');
      // Given up by its task, it lands no more.
      await backlog.tell('3', 'remove');
      await until(async () => {
        const query = await sluiceBeside(host, ['landings', 'list', '--json'], { cwd: repository.path });
        return /"runId":"dropped-3"[^\n]*"merge":"abandoned"|"merge":"abandoned"[^\n]*"runId":"dropped-3"/.test(
          query.stdout,
        );
      });
    });
  });
});

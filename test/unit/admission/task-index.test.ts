/** The tasks that a new one is compared with, as the folders of a real disk tell of them. Source: S-07, S-11. */
import { rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { TaskIndex } from '../../../activities/admission/dedup/index/task-index.js';
import { ItemStore } from '../../../activities/admission/number-item.js';
import type { ItemRecord } from '../../../activities/unit/item-record.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { DEFAULT_DEDUP } from '../../../protocol/run/dedup-policy.js';
import { tempFolders } from '../../support/temp-folder.js';

const fresh = tempFolders();

const openStore = (dir: string) => ItemStore.open(dir, { durability: 'process', failpoint: noFailpoint });

const recordOf = (task: string, project = 'shop'): ItemRecord => ({
  version: 1,
  key: `${project} ${task}`,
  project,
  run: { task },
  priority: 0,
  gate: null,
  kind: 'change',
  dependsOn: [],
  files: [],
  admission: null,
  createdAt: '2026-11-26T10:00:00.000Z',
  by: 'ann',
});

const keep = (highest: number | null) => ({ kind: 'keep', highest, closed: [], without: [] }) as const;

describe('the index of a repository’s tasks', () => {
  it('begins with what the folders hold of its project, and sees what another process has added since', async () => {
    const dir = fresh();
    const store = await openStore(dir);
    for (const record of [recordOf('first'), recordOf('of another', 'till')]) store.add(record, 0);
    const index = new TaskIndex({ dir, project: 'shop' });

    index.answer(keep(store.highest));
    const begun = ['1', '2', '3'].filter((id) => index.has(id));
    (await openStore(dir)).add(recordOf('third'), 0);
    index.answer(keep((await openStore(dir)).highest));

    expect([begun, ['1', '2', '3'].filter((id) => index.has(id))]).toEqual([['1'], ['1', '3']]);
  });

  it.each(['judge', 'block'] as const)(
    'finds the open one behind five merged ones of the same text, under %s (S-12, S-13)',
    async (onHit) => {
      const dir = fresh();
      const store = await openStore(dir);
      const text = 'update the packages to their latest minor versions and run the tests';
      for (const count of [1, 2, 3, 4, 5, 6]) store.add({ ...recordOf(text), key: String(count) }, 0);
      const index = new TaskIndex({ dir, project: 'shop' });
      const at = new Date().toISOString();
      const closed = ['1', '2', '3', '4', '5'].map((id) => ({ id, reason: 'merged', at }) as const);
      index.answer({ ...keep(store.highest), closed });

      const compare = { kind: 'compare', text, policy: { ...DEFAULT_DEDUP, onHit } } as const;
      expect(index.answer(compare)?.duplicate).toMatchObject({ of: '6', isEqual: true });

      // One that is opened again blocks as before.
      index.answer({ kind: 'add', id: '1', text });
      expect(index.answer(compare)?.duplicate).toMatchObject({ of: '1' });
    },
  );

  it('names the open one that is alike among the candidates, beside five merged ones that are more so (S-12, S-17)', async () => {
    const dir = fresh();
    const store = await openStore(dir);
    const text = 'update the packages to their latest minor versions and run the tests';
    for (const count of [1, 2, 3, 4, 5]) store.add({ ...recordOf(text), key: String(count) }, 0);
    store.add(recordOf('update the packages to their latest versions and run all tests again'), 0);
    const index = new TaskIndex({ dir, project: 'shop' });
    const at = new Date().toISOString();
    const closed = ['1', '2', '3', '4', '5'].map((id) => ({ id, reason: 'merged', at }) as const);
    index.answer({ ...keep(store.highest), closed });

    const compared = index.answer({ kind: 'compare', text, policy: DEFAULT_DEDUP });
    expect(compared?.pass.candidates).toHaveLength(5);
    expect(compared?.pass.candidates).toContain('6');
  });

  it('lists no folders where it has seen the highest number, and lists them for whoever has not looked', async () => {
    const dir = fresh();
    (await openStore(dir)).add(recordOf('first'), 0);
    const index = new TaskIndex({ dir, project: 'shop' });
    index.answer(keep(null));
    rmSync(dir, { recursive: true });

    expect(index.answer(keep(1))).toBeNull();
    expect(index.has('1')).toBe(true);
    expect(() => index.answer(keep(null))).toThrow('ENOENT');
  });
});

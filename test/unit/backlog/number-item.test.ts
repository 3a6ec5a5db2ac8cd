/** Numbers of tasks on a real disk: none is given twice, the same key finds the same one, whatever is killed in between. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ItemStore } from '../../../activities/admission/number-item.js';
import { type ItemRecord, readItem } from '../../../activities/unit/item-record.js';
import { type FailpointName, noFailpoint } from '../../../protocol/failpoints.js';
import { tempFolders } from '../../support/temp-folder.js';

const record = (key: string, task = key): ItemRecord => ({
  version: 1,
  key,
  project: 'shop',
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

function openStore(dir: string, failpoint: (name: FailpointName) => void = noFailpoint): Promise<ItemStore> {
  return ItemStore.open(dir, { durability: 'process', failpoint });
}

const fresh = tempFolders();

describe('the number of a task', () => {
  it('is one above all that are known, here or elsewhere, and its record is private', async () => {
    const dir = join(fresh(), 'items');
    const store = await openStore(dir);

    expect(
      [store.add(record('a'), 0), store.add(record('b'), 0), store.add(record('c'), 40)].map(({ id }) => id),
    ).toEqual(['1', '2', '41']);
    expect(statSync(join(dir, '41', 'item.json')).mode & 0o777).toBe(0o600);
    expect(readItem(join(dir, '41'))).toMatchObject({ record: record('c') });
  });

  it('is found again by its key, also by another process', async () => {
    const dir = join(fresh(), 'items');
    const added = (await openStore(dir)).add(record('a'), 0);

    expect((await openStore(dir)).find('a')).toEqual({ ...added, isKnown: true });
    expect((await openStore(dir)).find('b')).toBeNull();
  });

  it('is that which another process gave its key since this one has looked', async () => {
    const dir = join(fresh(), 'items');
    const [one, other] = [await openStore(dir), await openStore(dir)];
    const added = one.add(record('a'), 0);

    expect(other.add(record('a'), 0)).toEqual({ ...added, isKnown: true });
    expect(readdirSync(dir).toSorted()).toEqual(['1', 'keys']);
  });

  it.each(['admit.after-texts', 'admit.before-number', 'admit.after-number'] as const)(
    'is given once where the host is killed at %s',
    async (at) => {
      const dir = join(fresh(), 'items');
      (await openStore(dir)).add(record('before'), 0);
      const dying = await openStore(dir, (name) => {
        if (name === at) throw new Error('killed');
      });
      expect(() => dying.add(record('a'), 0)).toThrow('killed');

      const store = await openStore(dir);
      const found = store.find('a') ?? store.add(record('a'), 0);
      expect(found.id).toBe('2');
      expect((await openStore(dir)).find('a')?.id).toBe('2');
      expect(readdirSync(dir).toSorted()).toEqual(['1', '2', 'keys']);
    },
  );

  it('is found by its key where several died before their keys, below a folder of somebody', async () => {
    const dir = join(fresh(), 'items');
    const store = await openStore(dir);
    for (const key of ['a', 'b', 'c']) store.add(record(key), 0);
    for (const key of readdirSync(join(dir, 'keys')))
      if (readFileSync(join(dir, 'keys', key), 'utf8') !== '1') rmSync(join(dir, 'keys', key));
    mkdirSync(join(dir, '9'));

    const anew = await openStore(dir);

    expect(['a', 'b', 'c'].map((key) => anew.find(key)?.id)).toEqual(['1', '2', '3']);
    expect(anew.highest).toBe(9);
  });

  it('is skipped where somebody has its folder, and passes over what is no item', async () => {
    const dir = join(fresh(), 'items');
    const plant = (name: string) => {
      mkdirSync(join(dir, name), { recursive: true });
      writeFileSync(join(dir, name, 'notes.txt'), 'mine');
    };
    plant('7');
    plant('12-old');
    const store = await openStore(dir);
    // Made since the store has looked.
    plant('8');

    expect([store.add(record('a'), 0).id, store.highest]).toEqual(['9', 9]);
    expect(readFileSync(join(dir, '8', 'notes.txt'), 'utf8')).toBe('mine');
  });

  it('is not that of another task whose folder was removed: the highest that the backlog knows counts', async () => {
    const dir = join(fresh(), 'items');
    (await openStore(dir)).add(record('a'), 0);
    rmSync(join(dir, '1'), { recursive: true });

    expect((await openStore(dir)).find('a')).toBeNull();
    expect((await openStore(dir)).add(record('b'), 1).id).toBe('2');
  });
});

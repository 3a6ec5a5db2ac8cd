import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  beginOwning,
  dropOwner,
  ownerMarkOf,
  readOwner,
  takeOver,
  whyForeign,
} from '../../../activities/git/worktree/owner-mark.js';
import { removeFolders, tempFolder } from './repository-fixture.js';

afterEach(removeFolders);

const MINE = { owner: 'owner-0', purpose: '{"baseSha":"a"}' };

async function anOwnedFolder(): Promise<string> {
  const path = join(tempFolder(), 'worktrees', 'run-1');
  expect(await beginOwning(path, MINE)).toEqual(MINE);
  return path;
}

describe("an owner's mark", () => {
  it('is begun by one of many at once, and all are told of that one', async () => {
    const path = join(tempFolder(), 'run-1');

    const marks = await Promise.all(
      Array.from({ length: 20 }, (_, n) => beginOwning(path, { ...MINE, owner: `owner-${n}` })),
    );

    expect(new Set(marks.map((mark) => JSON.stringify(mark))).size).toBe(1);
    expect(readdirSync(join(path, '..'))).toEqual(['.run-1.owner']);
  });

  it('goes to one of many that take it over at once, with what the folder was begun for', async () => {
    const path = await anOwnedFolder();

    const marks = await Promise.all(Array.from({ length: 20 }, (_, n) => takeOver(path, 'owner-0', `next-${n}`)));

    const [mark] = marks;
    expect(mark).toEqual({ owner: expect.stringMatching(/^next-/), purpose: MINE.purpose });
    expect(marks.filter((other) => JSON.stringify(other) !== JSON.stringify(mark))).toEqual([]);
  });

  it('stays with whom it is where another was expected', async () => {
    const path = await anOwnedFolder();

    expect(await takeOver(path, 'owner-1', 'owner-2')).toEqual(MINE);
    expect(await takeOver(`${path}0`, 'owner-0', 'owner-2')).toBeNull();
    expect(await readOwner(path)).toEqual(MINE);
  });

  it('is taken over once by one who asks twice', async () => {
    const path = await anOwnedFolder();
    const taken = await takeOver(path, 'owner-0', 'owner-1');

    expect(await takeOver(path, 'owner-0', 'owner-1')).toEqual(taken);
    expect(whyForeign(taken, { ...MINE, owner: 'owner-1' })).toBeNull();
  });

  it.each<[string, (mark: string) => void]>([
    ['a second file', (mark) => writeFileSync(join(mark, 'owner-1'), MINE.purpose)],
    ['a folder for a file', (mark) => [rmSync(join(mark, 'owner-0')), mkdirSync(join(mark, 'owner-0'))]],
    [
      'a name that is no UTF-8, which nobody finds as it is listed',
      (mark) => [
        rmSync(join(mark, 'owner-0')),
        writeFileSync(Buffer.concat([Buffer.from(`${mark}/owner-`), Buffer.from([0xff])]), MINE.purpose),
      ],
    ],
    ['a file for the folder', (mark) => [rmSync(mark, { recursive: true }), writeFileSync(mark, 'x')]],
  ])('with %s is broken: nobody begins it or takes it over', async (_, breakIt) => {
    const path = await anOwnedFolder();
    breakIt(ownerMarkOf(path));

    expect(await readOwner(path)).toBe('broken');
    expect(await beginOwning(path, MINE)).toBe('broken');
    expect(await takeOver(path, 'owner-0', 'owner-1')).toBe('broken');
    expect(whyForeign('broken', MINE)).toContain('was changed');
  });

  it('is nobody’s once it is dropped, also where a kill left its folder', async () => {
    const path = await anOwnedFolder();
    rmSync(join(ownerMarkOf(path), 'owner-0'));
    expect(await readOwner(path)).toBeNull();
    expect(await beginOwning(path, MINE)).toEqual(MINE);

    await dropOwner(path);

    expect(existsSync(ownerMarkOf(path))).toBe(false);
  });

  it('names an owner that a path can hold, or is refused', async () => {
    await expect(beginOwning(join(tempFolder(), 'run-1'), { ...MINE, owner: '../x' })).rejects.toThrow('not an owner');
    await expect(takeOver(await anOwnedFolder(), 'owner-0', 'a/b')).rejects.toThrow('not an owner');
  });

  it('has one owner whenever its taker is killed', async () => {
    for (let kill = 0; kill < 5; kill += 1) {
      const path = await anOwnedFolder();
      const child = spawn(process.execPath, [join('test', 'unit', 'git', 'take-over-loop.mjs'), path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');

      const mark = await readOwner(path);
      expect(mark).toEqual({ owner: expect.stringMatching(/^owner-\d+$/), purpose: MINE.purpose });
      expect(readdirSync(ownerMarkOf(path))).toHaveLength(1);
    }
  }, 300_000);
});

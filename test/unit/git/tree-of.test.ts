/** The tree of a commit: by its full name git is asked once, and of what the engine made never. */
import { expect, it } from '@jest/globals';
import { knowTree, treeOf } from '../../../activities/git/refs/tree-of.js';

const TREE = 'a'.repeat(40);

function answering(...trees: readonly string[]) {
  const asked: string[] = [];
  const left = [...trees];
  const run = async (args: readonly string[]) => {
    asked.push(args.at(-1) ?? '');
    return `${left.shift()}\n`;
  };
  return { asked, run };
}

it('is asked for once by the full name of the commit', async () => {
  const git = answering(TREE);
  const commit = '1'.repeat(40);

  expect([await treeOf(git, commit), await treeOf(git, commit), git.asked]).toEqual([TREE, TREE, [`${commit}^{tree}`]]);
});

it('is asked for again by a name that may mean another commit by now', async () => {
  const git = answering(TREE, 'b'.repeat(40));

  expect([await treeOf(git, 'HEAD'), await treeOf(git, 'HEAD')]).toEqual([TREE, 'b'.repeat(40)]);
});

it('is known of a commit that the engine made', async () => {
  const git = answering();
  const commit = '2'.repeat(40);
  knowTree(commit, TREE);

  expect([await treeOf(git, commit), git.asked]).toEqual([TREE, []]);
});

it('is asked for again after git did not have the commit', async () => {
  const git = answering(TREE);
  const commit = '3'.repeat(40);
  const without = { run: () => Promise.reject(new Error('git has no such commit')) };

  await expect(treeOf(without, commit)).rejects.toThrow('no such commit');
  expect(await treeOf(git, commit)).toBe(TREE);
});

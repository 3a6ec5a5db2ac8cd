/** The repositories of the bench are as the engine would have them. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { findRepository, repoKeyOf } from '../../../activities/git/refs/find-repository.js';
import { makeRepositoryWithKept } from '../../../bench/repositories.js';
import { ensureHome } from '../../../config/home/home.js';
import { readOrMakeHostId } from '../../../config/home/host-id.js';
import { tempFolder } from '../../support/temp-folder.js';

const folder = tempFolder();

it('kept worktrees lie where those of runs lie, and git knows them', async () => {
  const home = ensureHome(join(folder, 'home'));
  const path = await makeRepositoryWithKept({ home: home.root, configText: 'version: 1\n' }, join(folder, 'kept'), 2);
  const { commonDir } = await findRepository(path);
  const repoKey = repoKeyOf(readOrMakeHostId(home.root), commonDir);

  const listed = execFileSync('git', ['worktree', 'list', '--porcelain'], { cwd: path, encoding: 'utf8' });
  const places = [...listed.matchAll(/^worktree (.*)$/gm)].map(([, place]) => place);
  expect(new Set(places)).toEqual(new Set([path, ...['kept-0', 'kept-1'].map((name) => home.worktree(repoKey, name))]));
});

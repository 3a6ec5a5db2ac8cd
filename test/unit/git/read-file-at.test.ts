/** A file of a commit: what a commit says never changes, and a name of one may mean another by now. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { readFileAt } from '../../../activities/git/refs/read-file-at.js';
import { git, makeRepository, removeFolders } from './repository-fixture.js';

afterEach(removeFolders);

const FILE = 'config.yaml';

async function commitFile(text: string) {
  const root = makeRepository();
  writeFileSync(join(root, FILE), text);
  git(root, 'add', FILE);
  git(root, 'commit', '--quiet', '-m', 'A file');
  const repository = await findRepository(root);
  return { root, repository, sha: git(root, 'rev-parse', 'HEAD').trim() };
}

const forget = (root: string) => rmSync(join(root, '.git/objects'), { recursive: true });

describe('a file of a commit', () => {
  it('is read once, and so is that there is none', async () => {
    const { root, repository, sha } = await commitFile('a: 1\n');
    const first = [await readFileAt(repository, sha, FILE), await readFileAt(repository, sha, 'none')];
    forget(root);

    expect([await readFileAt(repository, sha, FILE), await readFileAt(repository, sha, 'none')]).toEqual(first);
    expect(first).toEqual(['a: 1\n', null]);
  });

  it('is another of each repository and commit', async () => {
    const [one, other] = [await commitFile('a: 1\n'), await commitFile('a: 2\n')];
    writeFileSync(join(one.root, FILE), 'a: 3\n');
    git(one.root, 'commit', '--quiet', '-am', 'Another');
    const next = git(one.root, 'rev-parse', 'HEAD').trim();

    expect([
      await readFileAt(one.repository, one.sha, FILE),
      await readFileAt(other.repository, other.sha, FILE),
      await readFileAt(one.repository, next, FILE),
    ]).toEqual(['a: 1\n', 'a: 2\n', 'a: 3\n']);
  });

  it('is asked for again by a name that is no full one', async () => {
    const { root, repository, sha } = await commitFile('a: 1\n');
    const asked = ['HEAD', sha.slice(0, 12)];
    for (const name of asked) await readFileAt(repository, name, FILE);
    forget(root);

    for (const name of asked) await expect(readFileAt(repository, name, FILE)).resolves.toBeNull();
  });

  it('is asked for again where the commit was not there', async () => {
    const { root, repository, sha } = await commitFile('a: 1\n');
    const away = join(root, 'objects');
    renameSync(join(root, '.git/objects'), away);
    const before = await readFileAt(repository, sha, FILE);
    renameSync(away, join(root, '.git/objects'));

    expect([before, await readFileAt(repository, sha, FILE)]).toEqual([null, 'a: 1\n']);
  });

  it('cannot be read where its object is gone, and is not taken for none', async () => {
    const { root, repository, sha } = await commitFile('a: 1\n');
    const object = git(root, 'rev-parse', `HEAD:${FILE}`).trim();
    rmSync(join(root, '.git/objects', object.slice(0, 2), object.slice(2)));

    await expect(readFileAt(repository, sha, FILE)).rejects.toThrow('cat-file');
  });

  it('is read anew once many others were asked for, or where it is large', async () => {
    const { root, repository, sha } = await commitFile('a: 1\n');
    const large = await commitFile('a'.repeat(300_000));
    await readFileAt(repository, sha, FILE);
    await readFileAt(large.repository, large.sha, FILE);
    for (let n = 0; n < 16; n += 1) await readFileAt(repository, sha, `none-${n}`);
    forget(root);
    forget(large.root);

    await expect(readFileAt(repository, sha, FILE)).resolves.toBeNull();
    await expect(readFileAt(large.repository, large.sha, FILE)).resolves.toBeNull();
  });
});

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { servedRepository } from '../../../activities/policy/served-repository.js';
import { ensureHome } from '../../../config/home/home.js';
import { addRepository } from '../../../config/home/host-list.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
let folder: string;
let repo: string;

beforeEach(() => {
  folder = freshFolder();
  repo = join(folder, 'shop');
  execFileSync('git', ['init', '--quiet', repo]);
  execFileSync('git', [
    '-C',
    repo,
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@localhost',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'start',
  ]);
});

describe('the list of repositories that a host serves', () => {
  it('lets a repository on it in, and refuses another', async () => {
    const home = ensureHome(join(folder, 'home'));

    await expect(servedRepository({ home }, repo)).rejects.toMatchObject({
      type: 'RepositoryNotServed',
      nonRetryable: true,
    });
    await addRepository(home.root, repo);
    await expect(servedRepository({ home }, repo)).resolves.toMatchObject({ root: repo });
  });

  it('refuses for good, naming the file, where the list holds garbage', async () => {
    const home = ensureHome(join(folder, 'home'));
    writeFileSync(home.repositories, '{"version": 1, "repos');

    const refusal = servedRepository({ home }, repo);

    await expect(refusal).rejects.toMatchObject({ name: 'ApplicationFailure', type: 'BadConfig', nonRetryable: true });
    await expect(refusal).rejects.toThrow(home.repositories);
  });
});

/**
 * A fingerprint of the person's checkout: HEAD, branch, index, and what in its files differs. Two that differ say that something
 * changed there, not who did it; it is only journalled (V-128).
 * It reads: the run's private git dir stands in for the repository's config, the person's index is opened, never refreshed or written.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { lookAt } from '../../../config/system/look-at.js';
import { readHead, readRef, readTextIfThere } from '../refs/read-ref.js';
import type { Repository } from '../start/contract.js';
import { splitNul, tryGit } from '../start/run-git.js';
import { statEach } from './stat-each.js';

/** `gitDir` is the run's private git dir, made by `openRunGit`. Answers a hash. */
export async function fingerprintCheckout(repository: Repository, gitDir: string): Promise<string> {
  if ((await readTextIfThere(join(gitDir, 'HEAD'))) === null)
    throw new Error(`${gitDir} is not the private git dir of a run`);
  // Git cannot be started in a folder that is gone, which would look like trouble of the host.
  if (lookAt(repository.root) === null) return 'gone';
  const [head, list, stash] = await Promise.all([
    readHead(repository.gitDir),
    listFiles(repository, gitDir),
    readTextIfThere(join(repository.commonDir, 'refs', 'stash')),
  ]);
  const at = head.kind === 'branch' ? await readRef(repository.commonDir, head.ref) : null;
  const hash = createHash('sha256')
    .update(JSON.stringify([head, at, stash]))
    .update(list);
  const changed = splitNul(list)
    .filter((record) => !record.startsWith('H '))
    .map((record) => record.slice(record.startsWith('? ') ? 2 : record.indexOf('\t') + 1));
  const times = await statEach(repository.root, changed, (found) =>
    found === null ? 'gone' : `${found.mode} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
  );
  hash.update(times.join('\0'));
  return hash.digest('hex').slice(0, 32);
}

/** Tracked files with mode, blob and tag, then modified, deleted and untracked ones. `ls-files` starts no monitor and writes no index. */
async function listFiles(repository: Repository, gitDir: string): Promise<string> {
  const args = [
    'ls-files',
    '-z',
    '-t',
    '--stage',
    '--cached',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
  ];
  const { exitCode, stdout } = await tryGit(args, {
    gitDir,
    workTree: repository.root,
    cwd: repository.root,
    env: {
      GIT_INDEX_FILE: join(repository.gitDir, 'index'),
      GIT_OBJECT_DIRECTORY: join(repository.commonDir, 'objects'),
    },
  });
  // An index of a kind that only its own git dir can open (split index) leaves HEAD and stash to compare.
  return exitCode === 0 ? stdout : '';
}

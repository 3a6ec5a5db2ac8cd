/** The commits between two commits, as they are listed for people. */
import { splitNul } from '../start/run-git.js';
import type { PrivateGitDir } from './private-git-dir.js';

export interface ListedCommit {
  /** Full. */
  readonly sha: string;
  readonly subject: string;
}

/** Oldest first, of the line of first parents. */
export async function listCommits(git: PrivateGitDir, base: string, head: string): Promise<readonly ListedCommit[]> {
  const order = ['--topo-order', '--reverse', '--first-parent', '--no-show-signature', '--encoding=UTF-8'];
  const records = splitNul(await git.run(['log', '-z', '--format=%H %s', ...order, head, '--not', base, '--']));
  return records.map((record) => {
    const end = record.indexOf(' ');
    return { sha: record.slice(0, end), subject: record.slice(end + 1) };
  });
}

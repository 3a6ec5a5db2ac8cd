/** A repository whose main and another branch went apart, and the git of a queue of landings on it. */
import { join } from 'node:path';
import { type CandidateRequest, makeCandidate } from '../../../activities/git/merge/make-candidate.js';
import { openQueueGit } from '../../../activities/git/merge/open-queue-git.js';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { git, makeRepository, tempFolder, write } from './repository-fixture.js';

export type Files = Readonly<Record<string, string | null>>;

export const IDENTITY = { name: 'Ada', email: 'ada@example.org' };

export const NUMBERS = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);

/** Twenty lines, of which both sides can change one without a conflict. */
export const lines = (first = '1', last = '20') => [`${first}\n`, ...NUMBERS.slice(1, -1), `${last}\n`].join('');

/** Answers the new commit of what is checked out. Null: the file goes. */
export function commit(root: string, files: Files, message = 'change'): string {
  for (const [path, text] of Object.entries(files))
    if (text === null) git(root, 'rm', '--quiet', '-r', '--', path);
    else write(root, path, text);
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(root, 'rev-parse', 'HEAD').trim();
}

export interface Apart {
  readonly base?: Readonly<Record<string, string>>;
  readonly ours: Files;
  readonly theirs: Files;
}

/** `main` is checked out, at `ours`. */
export async function goneApart({ base, ours, theirs }: Apart) {
  const root = makeRepository(base);
  git(root, 'checkout', '--quiet', '-b', 'theirs');
  const head = commit(root, theirs);
  git(root, 'checkout', '--quiet', 'main');
  return { ...(await queueOf(root)), ours: commit(root, ours), theirs: head };
}

export async function queueOf(root: string) {
  const repository = await findRepository(root);
  const folder = join(tempFolder(), 'queue');
  const queue = await openQueueGit({ repository, folder });
  const candidate = (
    ours: string,
    theirs: string,
    {
      madeOn = null,
      method = 'merge',
      isMade = false,
    }: Partial<Pick<CandidateRequest, 'madeOn' | 'method' | 'isMade'>> = {},
  ) =>
    makeCandidate(queue, {
      method,
      isMade,
      ours,
      theirs,
      madeOn,
      message: 'Land it\n',
      claimedAt: '2026-11-21T10:00:03.120Z',
      identity: IDENTITY,
    });
  return { root, repository, folder, queue, candidate };
}

export function fileAt(root: string, tree: string, path: string): string {
  return git(root, 'cat-file', 'blob', `${tree}:${path}`);
}

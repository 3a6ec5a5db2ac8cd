/**
 * Finds the commit that a run starts from. The answer is recorded at start and never looked up again: the base branch may move on (V-15).
 */
import { shellWord } from '../../../protocol/text/shell-word.js';
import type { Base, Repository } from '../start/contract.js';
import { ON_REAL_REPOSITORY, tryGit } from '../start/run-git.js';
import { badRepository } from './find-repository.js';
import { isSha, readHead, readRef } from './read-ref.js';

const MAX_CANDIDATES = 5;

/**
 * The base branch and its commit; without a name the branch that is checked out.
 * Errors: `BadRepository`, naming branches that exist.
 */
export async function resolveBase(repository: Repository, base?: string): Promise<Base> {
  return base === undefined ? checkedOut(repository) : named(repository, base);
}

async function checkedOut(repository: Repository): Promise<Base> {
  const head = await readHead(repository.gitDir);
  if (head.kind === 'detached') return { branch: 'HEAD', sha: head.sha };
  if (head.kind === 'branch') {
    const sha = await readRef(repository.commonDir, head.ref);
    if (sha !== null) return { branch: head.ref.replace(/^refs\/heads\//, ''), sha };
  }
  // HEAD may be a chain of symbolic refs, or lie in a reftable: git knows.
  const [sha, name] = await Promise.all([
    ask(repository, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    ask(repository, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
  ]);
  if (isSha(sha)) return { branch: name === '' ? 'HEAD' : name, sha };
  throw await unknownBase(repository, 'HEAD');
}

async function named(repository: Repository, base: string): Promise<Base> {
  if (base === '' || base.includes('\0')) throw await unknownBase(repository, base);
  const sha = isSafeName(base) ? await readRef(repository.commonDir, `refs/heads/${base}`).catch(() => null) : null;
  if (sha !== null) return { branch: base, sha };
  const found = await ask(repository, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`]);
  if (!isSha(found)) throw await unknownBase(repository, base);
  return { branch: base.replace(/^refs\/heads\//, ''), sha: found };
}

/** `refs/heads/../x` would read a file that is no branch. */
function isSafeName(name: string): boolean {
  return !name.split('/').some((part) => part === '' || part === '.' || part === '..');
}

async function ask(repository: Repository, args: readonly string[]): Promise<string> {
  const { exitCode, stdout } = await tryGit([...ON_REAL_REPOSITORY, ...args], { gitDir: repository.gitDir });
  return exitCode === 0 ? stdout.trim() : '';
}

async function unknownBase(repository: Repository, base: string): Promise<Error> {
  const listed = await ask(repository, [
    'for-each-ref',
    '--sort=-committerdate',
    '--format=%(refname:lstrip=2)',
    'refs/heads',
  ]);
  const names = listed.split('\n').filter((name) => name !== '' && !name.startsWith('sluice/'));
  const alike = names.filter((name) => name.includes(base) || base.includes(name));
  const candidates = [...new Set([...alike, ...names])].slice(0, MAX_CANDIDATES);
  return badRepository(
    `There is no base branch ${JSON.stringify(base)}; branches here: ${candidates.join(', ') || 'none'}.`,
    `git -C ${shellWord(repository.root)} branch`,
  );
}

/**
 * Finds the repository that a person named, and refuses what a run cannot work in: no repository, a bare one, one without commits.
 * It only reads; git's own check of a folder's owner (`safe.directory`) stays in force here, and only here.
 */

import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { ownGitDir } from '../../../config/home/own-git-dir.js';
import { LastFew } from '../../../config/system/last-few.js';
import { lookAt } from '../../../config/system/look-at.js';
import { realPathOr } from '../../../config/system/paths.js';
import { projectOf } from '../../../protocol/actors/project.js';
import { FAILURES } from '../../../protocol/failures.js';
import { refusalFailure } from '../../../protocol/text/refusal.js';
import { shellWord } from '../../../protocol/text/shell-word.js';
import type { Repository } from '../start/contract.js';
import { findRepositoryAround, neverStartBelow } from '../start/git-program.js';
import { tryGit } from '../start/run-git.js';
import { readHead, readRef } from './read-ref.js';

interface Found {
  readonly repository: Repository;
  /** What git read for its answer, as it was then. */
  readonly seen: string;
}

/** By the real path that was asked for. A task asks six times; git answers the same while what it reads for that is the same. */
const found = new LastFew<Found>(100);

/** How far the clock of a file system may be behind. */
const CLOCK_MS = 100;

/**
 * The repository around `path`.
 * Errors: `BadRepository`.
 */
export async function findRepository(path: string): Promise<Repository> {
  if (!(await isFolder(path))) throw badRepository(`${JSON.stringify(path)} is not a folder.`, 'git init');
  const around = findRepositoryAround(path);
  if (around !== null) neverStartBelow(around);
  const real = realPathOr(path);
  const known = found.get(real);
  if (known?.repository.root === around && known?.seen === lookOver(known.repository).seen) {
    await assertUsable(path, known.repository);
    return found.keep(real, known).repository;
  }
  const askedAt = Date.now();
  const repository = await askGit(path);
  await assertUsable(path, repository);
  const { seen, isOwn, changedAt } = lookOver(repository);
  // What somebody wrote meanwhile git may not have read. Of a stranger's folders it asks the person's config each time whether they are safe.
  if (isOwn && changedAt < askedAt - CLOCK_MS) found.keep(real, { repository, seen });
  return repository;
}

async function assertUsable(path: string, repository: Repository): Promise<void> {
  if (ownGitDir(repository.root) !== repository.gitDir)
    throw badRepository(
      `The config of the repository at ${JSON.stringify(path)} names another work tree (core.worktree): ${JSON.stringify(repository.root)}.`,
      `git -C ${shellWord(path)} config --unset core.worktree`,
    );
  if (!(await hasCommits(repository)))
    throw badRepository(
      `${JSON.stringify(path)} is a repository without commits.`,
      'git commit --allow-empty -m "First commit"',
    );
}

async function askGit(path: string): Promise<Repository> {
  const args = [
    'rev-parse',
    '--path-format=absolute',
    '--is-bare-repository',
    '--git-common-dir',
    '--absolute-git-dir',
    '--show-toplevel',
  ];
  const { exitCode, stdout, stderr } = await tryGit(['-C', path, ...args], { config: 'person' });
  const [bare, commonDir, gitDir, root] = splitAnswer(stdout);
  if (bare === 'true')
    throw badRepository(`${JSON.stringify(path)} is a bare repository.`, 'git clone <repository> <folder>');
  if (exitCode !== 0 || commonDir === undefined || gitDir === undefined || root === undefined) {
    const said = stderr.trim().split('\n')[0] ?? '';
    throw badRepository(
      `${JSON.stringify(path)} is not in the work tree of a git repository (${said}).`,
      `git -C ${shellWord(path)} status`,
    );
  }
  const realCommonDir = await realpath(commonDir);
  return {
    root: await realpath(root),
    commonDir: realCommonDir,
    gitDir: await realpath(gitDir),
    project: projectOf(realCommonDir),
  };
}

/** Where `.git` leads, the folders, and the config. `isOwn`: all are this user's. `changedAt`: when the config was written last; ms since the epoch. */
function lookOver({
  root,
  gitDir,
  commonDir,
}: Repository): Pick<Found, 'seen'> & { isOwn: boolean; changedAt: number } {
  const folders = [root, gitDir, commonDir].map(lookAt);
  const configs = [join(commonDir, 'config'), join(gitDir, 'config.worktree')].map(lookAt);
  const seen = [
    ownGitDir(root),
    folders.map((at) => at && [at.dev, at.ino, at.uid]),
    configs.map((at) => at && [at.ino, at.size, at.ctimeMs]),
  ];
  return {
    seen: JSON.stringify(seen),
    isOwn: folders.every((at) => at?.uid === process.geteuid?.()),
    changedAt: Math.max(...configs.map((at) => at?.ctimeMs ?? 0)),
  };
}

/**
 * Names a repository on one host.
 * Source: docs/design.md "Names".
 */
export function repoKeyOf(hostId: string, commonDir: string): string {
  return createHash('sha256').update(`${hostId}\0${commonDir}`).digest('hex').slice(0, 16);
}

export function badRepository(what: string, command: string): ApplicationFailure {
  const why = 'A run needs a git repository with a work tree and a commit to start from.';
  const parts = { what, why, now: 'Nothing was started.', mend: `Try: ${command}` };
  return ApplicationFailure.create(refusalFailure(FAILURES.BadRepository, parts));
}

/** Paths may hold newlines: every answer after the first begins with `/`. */
function splitAnswer(stdout: string): string[] {
  const end = stdout.indexOf('\n');
  if (end < 0) return [];
  const paths = stdout
    .slice(end + 1)
    .replace(/\n$/, '')
    .split(/\n(?=\/)/);
  return [stdout.slice(0, end), ...paths];
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function hasCommits(repository: Repository): Promise<boolean> {
  const head = await readHead(repository.gitDir);
  if (head.kind === 'detached') return true;
  if (head.kind === 'branch' && (await readRef(repository.commonDir, head.ref)) !== null) return true;
  const { stdout } = await tryGit(['for-each-ref', '--count=1', '--format=%(objectname)', 'refs/heads'], {
    gitDir: repository.commonDir,
  });
  return stdout.trim() !== '';
}

/**
 * Keeps what tools and people see in the run's worktree true: its `.git` file, its HEAD on the run's branch, its own index.
 * All of it lies where an agent can write, so it is only ever written here; what is read from it (`ownHead`, `wasHere`) may name commits, never programs.
 */
import { lstat, mkdir, rm, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { listForeignFolder } from '../../config/foreign-file.js';
import type { Repository } from './contract.js';
import { assertNoSymlink } from './no-symlink.js';
import { type HeadReading, readHead, readIndex, readTextIfThere } from './read-ref.js';
import { findAdminDir, freeAdminDir } from './worktree-registration.js';
import { assertRealRoot, moveAside } from './worktree-root.js';
import { replaceFile } from './write-file.js';

/** What an interrupted merge, rebase or the like leaves; `git status` would report it. Source: gitrepository-layout.txt, wt-status.c. */
const UNFINISHED: ReadonlySet<string> = new Set([
  'index.lock',
  'HEAD.lock',
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'MERGE_AUTOSTASH',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'SQUASH_MSG',
  'BISECT_LOG',
  'BISECT_START',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
]);

/** Git and people make some thirty; of more each name that matters is removed unseen. */
const MAX_ENTRIES = 1_000;

export interface OwnWorktree {
  readonly repository: Repository;
  readonly worktree: string;
  /** Full ref name of the run's branch. */
  readonly branchRef: string;
}

/** Where the worktree's own HEAD stands. */
export async function ownHead({ repository, worktree }: OwnWorktree): Promise<HeadReading> {
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  return adminDir === null ? { kind: 'unreadable' } : readHead(adminDir);
}

/** Whether this worktree's HEAD ever stood at `sha`: its reflog says so (gitrepository-layout.txt, `logs/HEAD`). Somebody who moves the branch from elsewhere leaves no line there. */
export async function wasHere({ repository, worktree }: OwnWorktree, sha: string): Promise<boolean> {
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  const log = adminDir === null ? null : await readTextIfThere(join(adminDir, 'logs', 'HEAD'));
  return log?.split('\n').some((line) => line.slice(0, line.indexOf('\t')).split(' ')[1] === sha) ?? false;
}

/**
 * Puts HEAD back on the run's branch, mends the `.git` file and gives the worktree a copy of the engine's index, whose entries carry
 * the same files' times, so that `git status` there is clean without reading them again.
 * Effects: a folder in the place of one of these files is moved beside the worktree, for it may be somebody's repository.
 * Errors: `WorktreeViolation`, `SymlinkInTheWay`.
 */
export async function mendOwnState(own: OwnWorktree, privateIndex: string): Promise<void> {
  const { repository, worktree, branchRef } = own;
  await assertRealRoot(worktree);
  const known = await findAdminDir(repository.commonDir, worktree);
  const adminDir = known ?? (await freeAdminDir(repository.commonDir, worktree));
  await assertNoSymlink(repository.commonDir, relative(repository.commonDir, adminDir));
  if (known === null) await register(adminDir, worktree);
  const entries = await listForeignFolder(adminDir, { maxEntries: MAX_ENTRIES });
  const unfinished = entries?.map(({ name }) => name).filter((name) => UNFINISHED.has(name)) ?? [...UNFINISHED];
  await Promise.all(unfinished.map((name) => rm(join(adminDir, name), { recursive: true, force: true })));
  await Promise.all([
    writeIfOther(own, join(worktree, '.git'), `gitdir: ${adminDir}\n`),
    writeIfOther(own, join(adminDir, 'HEAD'), `ref: ${branchRef}\n`),
    writeIfOther(own, join(adminDir, 'commondir'), '../..\n'),
    copyIndex(own, privateIndex, join(adminDir, 'index')),
  ]);
}

async function register(adminDir: string, worktree: string): Promise<void> {
  await mkdir(adminDir, { recursive: true });
  await replaceFile(join(adminDir, 'gitdir'), `${join(worktree, '.git')}\n`);
}

async function writeIfOther(own: OwnWorktree, path: string, text: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() === true && (await readTextIfThere(path)) === text) return;
  await moveFolderAside(own, path);
  await replaceFile(path, text);
}

/** Not beside the path itself: in the worktree it would be an untracked folder, which the next clean removes. */
async function moveFolderAside({ worktree }: OwnWorktree, path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) await moveAside(path, dirname(worktree));
}

/** Git looks again at files that are not older than the index file (racy-git.txt), so the copy must not be younger than its source. */
async function copyIndex(own: OwnWorktree, from: string, to: string): Promise<void> {
  await moveFolderAside(own, to);
  const [data, { mtimeMs }] = await Promise.all([readIndex(from), lstat(from)]);
  await replaceFile(to, data);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

/**
 * Keeps what tools and people see in the run's worktree true: its `.git` file, its HEAD on the run's branch, its own index.
 * All of it lies where an agent can write, so it is only ever written here; what is read from it (`readOwnHead`, `hasStoodAt`) may name commits, never programs.
 * A person's next git obeys these files, a shell prompt by a mere `cd`: each is compared with the very text that the engine made it with.
 */
import { appendFile, lstat, mkdir, rm, utimes } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { listForeignFolder, readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { replaceFile } from '../../../config/system/replace-file.js';
import { parseJson } from '../../../protocol/text/json.js';
import { eachLine } from '../refs/each-line.js';
import { type HeadReading, parseHead, readHead, readIndex, readTextIfThere } from '../refs/read-ref.js';
import { findAdminDir, freeAdminDir } from '../refs/worktree-registration.js';
import type { Repository } from '../start/contract.js';
import { assertNoSymlink } from '../start/no-symlink.js';
import { makeFolderWritable } from './make-writable.js';
import { lookAtSubmodules, takeSubmodules } from './submodule-git.js';
import { assertRealRoot, moveAside } from './worktree-root.js';

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
  /** The private git dir of the run. */
  readonly gitDir: string;
}

/** A file of the worktree's own git, as the engine makes it. */
interface OwnFile {
  readonly path: string;
  /** Null: there is none. */
  readonly text: string | null;
}

/** In the private git dir: what `git worktree add` gave the worktree of the repository's own `config.worktree`, before any command ran there. */
export const FIRST_CONFIG = 'worktree-config.json';

const CONFIG = 'config.worktree';

/** Far above what people write into one. */
const MAX_CONFIG_BYTES = 16 * 1024 * 1024;

/** A HEAD holds one line. */
const MAX_HEAD_BYTES = 4096;

/** The second commit of a line is the new one (gitrepository-layout.txt). */
const OF_REFLOG = /^\S+ (\S+) /;

/** Where the worktree's own HEAD stands. */
export async function readOwnHead({ repository, worktree }: OwnWorktree): Promise<HeadReading> {
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  return adminDir === null ? { kind: 'unreadable' } : readHead(adminDir);
}

/** Whether this worktree's HEAD ever stood at `sha`: its reflog says so (gitrepository-layout.txt, `logs/HEAD`). Somebody who moves the branch from elsewhere leaves no line there. */
export async function hasStoodAt({ repository, worktree }: OwnWorktree, sha: string): Promise<boolean> {
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  const log = adminDir === null ? null : await readTextIfThere(join(adminDir, 'logs', 'HEAD'));
  for (const line of eachLine(log ?? '')) if (OF_REFLOG.exec(line)?.[1] === sha) return true;
  return false;
}

/**
 * What of the worktree's own git is not as the engine made it, a clause each; empty: all is, or worktree or repository are gone. HEAD may stand at another branch or commit, as
 * after a person's checkout; of the index only what it says of submodules starts anything.
 */
export async function findForeignState(own: OwnWorktree): Promise<readonly string[]> {
  const { repository, worktree } = own;
  const folder = lookAt(worktree);
  // In a repository that is gone there is nothing to mend.
  if (folder === null || lookAt(repository.commonDir)?.isDirectory() !== true) return [];
  if (!folder.isDirectory()) return ['the folder of the worktree became something else'];
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  if (adminDir === null) return ['the repository did not know the worktree any more'];
  const files = await ownFiles(own, adminDir);
  const changed = await Promise.all([
    ...files.map(async (file) => ((await isAsMade(file)) ? [] : [`${nameOf(own, file.path)} was changed`])),
    // Git reads no index beside a HEAD that is none.
    isHead(adminDir).then((isOne) =>
      isOne ? foreignSubmodules(own, adminDir) : ["HEAD of the worktree's git dir was changed"],
    ),
  ]);
  return changed.flat();
}

/**
 * Makes the worktree's own git as the engine made it. A HEAD that is one stays where it is.
 * Effects: a folder in the place of one of these files is moved beside the worktree, for it may be somebody's repository; so is what took the place of the worktree's folder.
 * Errors: `WorktreeViolation`, `SymlinkInTheWay`.
 */
export async function putOwnBack(own: OwnWorktree): Promise<void> {
  const folder = lookAt(own.worktree);
  if (folder === null) return;
  if (!folder.isDirectory()) return moveAside(own.worktree);
  const adminDir = await mendOwnFiles(own);
  // Without one all files would be shown as deleted and new.
  const [index, to] = [join(own.gitDir, 'index'), join(adminDir, 'index')];
  if (lookAt(index)?.isFile() === true && lookAt(to) === null) await copyIndex(own, index, to);
  await takeForeignSubmodules(own, adminDir);
}

/** Gives the owner back the right to look and to write where the worktree's own git is; what an agent took from itself it took from its owner. */
export async function letOwnerIn({ repository, worktree }: OwnWorktree): Promise<void> {
  await Promise.all(
    [worktree, join(repository.commonDir, 'worktrees', basename(worktree))].map((folder) => makeFolderWritable(folder)),
  );
}

/** Once, of a worktree that was just added: no command has run in it. */
export async function keepFirstConfig({ repository, worktree, gitDir }: OwnWorktree): Promise<void> {
  const path = join(gitDir, FIRST_CONFIG);
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  if (adminDir === null || lookAt(path) !== null) return;
  replaceFile(path, JSON.stringify(await readTextIfThere(join(adminDir, 'config.worktree'))));
}

function checkoutOf({ repository: { commonDir }, worktree, gitDir }: OwnWorktree, adminDir: string) {
  return { commonDir, worktree, gitDir, adminDir };
}

async function foreignSubmodules(own: OwnWorktree, adminDir: string): Promise<readonly string[]> {
  const { foreign, isIndexReadable } = await lookAtSubmodules(checkoutOf(own, adminDir));
  const clauses = foreign.map((path) => `the git dir of the submodule ${JSON.stringify(path)} is not the repository's`);
  return isIndexReadable ? clauses : [...clauses, "index of the worktree's git dir cannot be read"];
}

/** What an index says that git cannot read here nobody knows: the engine's takes its place. */
async function takeForeignSubmodules(own: OwnWorktree, adminDir: string): Promise<void> {
  const { foreign, isIndexReadable } = await lookAtSubmodules(checkoutOf(own, adminDir));
  await takeSubmodules(own.worktree, foreign);
  if (!isIndexReadable) await replaceIndex(own, adminDir);
}

/** Where the engine has none that is a file there is none: no git reads what an agent left, and the next turn brings one. */
async function replaceIndex(own: OwnWorktree, adminDir: string): Promise<void> {
  const [from, to] = [join(own.gitDir, 'index'), join(adminDir, 'index')];
  const found = lookAt(from);
  if (found?.isFile() === true) return copyIndex(own, from, to);
  await moveFolderAside(own, to);
  await rm(to, { force: true });
}

/**
 * Puts HEAD back on the run's branch, mends what git obeys and gives the worktree a copy of the engine's index, whose entries carry
 * the same files' times, so that `git status` there is clean without reading them again.
 * Effects: a folder in the place of one of these files is moved beside the worktree, for it may be somebody's repository.
 * Errors: `WorktreeViolation`, `SymlinkInTheWay`.
 */
export async function mendOwnState(own: OwnWorktree): Promise<void> {
  const adminDir = await mendOwnFiles(own);
  const entries = await listForeignFolder(adminDir, { maxEntries: MAX_ENTRIES });
  const unfinished = entries?.map(({ name }) => name).filter((name) => UNFINISHED.has(name)) ?? [...UNFINISHED];
  await Promise.all(unfinished.map((name) => rm(join(adminDir, name), { recursive: true, force: true })));
  await Promise.all([
    writeIfOther(own, { path: join(adminDir, 'HEAD'), text: `ref: ${own.branchRef}\n` }),
    copyIndex(own, join(own.gitDir, 'index'), join(adminDir, 'index')),
  ]);
  // It may name a submodule that the one before did not.
  await takeForeignSubmodules(own, adminDir);
}

/** Answers the admin folder. */
async function mendOwnFiles(own: OwnWorktree): Promise<string> {
  const { repository, worktree, branchRef } = own;
  assertRealRoot(worktree);
  const known = await findAdminDir(repository.commonDir, worktree);
  const adminDir = known ?? (await freeAdminDir(repository.commonDir, worktree));
  await assertNoSymlink(repository.commonDir, relative(repository.commonDir, adminDir));
  if (known === null) await mkdir(adminDir, { recursive: true });
  const files = await ownFiles(own, adminDir);
  await Promise.all(files.map((file) => writeIfOther(own, file)));
  if (!(await isHead(adminDir))) await writeIfOther(own, { path: join(adminDir, 'HEAD'), text: `ref: ${branchRef}\n` });
  await beginLog(adminDir);
  return adminDir;
}

/**
 * `hasStoodAt` needs the reflog, which git begins only where `core.logAllRefUpdates` lets it, and goes on with wherever it is (git-config.txt). What an agent puts in
 * the place of its folder stays: its own commits count as somebody else's then.
 */
async function beginLog(adminDir: string): Promise<void> {
  const [folder, log] = [join(adminDir, 'logs'), join(adminDir, 'logs', 'HEAD')];
  if (lookAt(folder) === null) await mkdir(folder, { recursive: true });
  if ((await makeFolderWritable(folder)) && lookAt(log) === null) await appendFile(log, '');
}

async function ownFiles({ worktree, gitDir }: OwnWorktree, adminDir: string): Promise<readonly OwnFile[]> {
  const first = await readFirstConfig(gitDir);
  return [
    { path: join(worktree, '.git'), text: `gitdir: ${adminDir}\n` },
    { path: join(adminDir, 'gitdir'), text: `${join(worktree, '.git')}\n` },
    { path: join(adminDir, 'commondir'), text: '../..\n' },
    ...(first === undefined ? [] : [{ path: join(adminDir, CONFIG), text: first }]),
  ];
}

/** A text, or null: there was none. Undefined: the note is gone or torn, and nothing is known of it. */
async function readFirstConfig(gitDir: string): Promise<string | null | undefined> {
  const value = parseJson(textOf(await readForeignFile(join(gitDir, FIRST_CONFIG), { maxBytes: MAX_CONFIG_BYTES })));
  return value === null || typeof value === 'string' ? value : undefined;
}

/** What is larger, a link, or not ours to read is none that the engine made. */
async function isAsMade({ path, text }: OwnFile): Promise<boolean> {
  if (text === null) return lookAt(path) === null;
  return textOf(await readForeignFile(path, { maxBytes: Buffer.byteLength(text) })) === text;
}

async function isHead(adminDir: string): Promise<boolean> {
  const text = textOf(await readForeignFile(join(adminDir, 'HEAD'), { maxBytes: MAX_HEAD_BYTES }));
  return text !== null && parseHead(text).kind !== 'unreadable';
}

function nameOf({ worktree }: OwnWorktree, path: string): string {
  return dirname(path) === worktree ? 'the .git file of the worktree' : `${basename(path)} of the worktree's git dir`;
}

async function writeIfOther(own: OwnWorktree, file: OwnFile): Promise<void> {
  const { path, text } = file;
  if (await isAsMade(file)) return;
  await moveFolderAside(own, path);
  if (text !== null) replaceFile(path, text);
}

/**
 * And a config, which may be a person's (`git sparse-checkout set` writes it); the other files say nothing that the engine's do not.
 * Not beside the path itself: in the worktree it would be an untracked folder, which the next clean removes.
 */
async function moveFolderAside({ worktree }: OwnWorktree, path: string): Promise<void> {
  const found = lookAt(path);
  const isKept = found?.isDirectory() === true || (found !== null && basename(path) === CONFIG);
  if (isKept) await moveAside(path, dirname(worktree), `${basename(worktree)}+${basename(path).replace(/^\./, '')}`);
}

/** Git looks again at files that are not older than the index file (racy-git.txt), so the copy must not be younger than its source. */
async function copyIndex(own: OwnWorktree, from: string, to: string): Promise<void> {
  await moveFolderAside(own, to);
  const [data, { mtimeMs }] = await Promise.all([readIndex(from), lstat(from)]);
  replaceFile(to, data);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

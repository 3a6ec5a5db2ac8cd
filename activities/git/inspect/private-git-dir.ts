/**
 * A git dir of the engine's own: index, HEAD (always a bare commit id), excludes and a config snapshot, below the sluice home.
 * Objects are the repository's (`GIT_OBJECT_DIRECTORY`), not alternates: alternates are only read, and the run's branch must be able
 * to point at what is written here. All commands name it and the work tree, so the worktree's `.git`, which an agent can replace, counts for nothing.
 */
import { existsSync } from 'node:fs';
import { rm, unlink } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { makeFolder } from '../../../config/home/make-folder.js';
import { listForeignFolder } from '../../../config/system/foreign-file.js';
import { replaceFile } from '../../../config/system/replace-file.js';
import { parseJson } from '../../../protocol/text/json.js';
import { isSha, readTextIfThere } from '../refs/read-ref.js';
import { assertTreeFits } from '../refs/tree-size.js';
import type { GitResult } from '../runner/start-git.js';
import { joinBytes } from '../start/byte-path.js';
import type { Identity, Repository } from '../start/contract.js';
import { neverStartBelow } from '../start/git-program.js';
import { pastPipes } from '../start/past-pipes.js';
import { RepositoryGone } from '../start/repository-gone.js';
import { type GitCall, GitError, splitNul, tryGit } from '../start/run-git.js';
import { makeWritable } from '../worktree/make-writable.js';
import { mendRoot, moveAside } from '../worktree/worktree-root.js';
import { type ConfigSnapshot, takeConfigSnapshot } from './config-snapshot.js';

/** Patterns on the command line beat every `.gitignore`; above this number the private exclude file alone must do (argument size). */
const MAX_CLEAN_PATTERNS = 500;

/** Written last: its presence says that the private git dir is complete. */
const MARK = 'sluice.json';

export const PROTECTED = 'protected.json';

/** Git and the engine make some twenty. */
const MAX_ENTRIES = 10_000;

export interface PrivateGitDirInput {
  readonly repository: Repository;
  readonly gitDir: string;
  readonly workTree: string;
  /** Another private git dir of the run, whose config snapshot counts here too, or one that was taken; null: one is taken when the git dir is made. */
  readonly snapshotOf: string | Snapshot | null;
}

/** `cwd`: default the git dir. */
export type GitInput = Pick<GitCall, 'env' | 'input' | 'limits' | 'encoding' | 'cwd' | 'workTree'>;

/** Opens the private git dir, making it if it is missing or half-made. */
export async function openPrivateGitDir(input: PrivateGitDirInput): Promise<PrivateGitDir> {
  neverStartBelow(input.repository.root);
  // One folder for the worktrees of all runs of a repository.
  neverStartBelow(dirname(input.workTree));
  const protectedPaths = await readProtected(input.gitDir);
  const identity = (await readIdentity(input.gitDir)) ?? (await make(input, protectedPaths));
  return new PrivateGitDir(input, identity, new Set(protectedPaths));
}

/**
 * Adds paths, relative to the work tree, that are never staged, never shown as a change and never cleaned away, whatever a `.gitignore`
 * says: what was copied or linked from the person's checkout. A path stands for everything below it too.
 */
export async function protectPaths(gitDir: string, paths: readonly string[]): Promise<void> {
  const known = await readProtected(gitDir);
  const all = [...new Set([...known, ...paths])].sort();
  // Nothing else knows it: by a list that a power cut emptied, a person's secrets would be committed.
  if (all.length > known.length) replaceFile(join(gitDir, PROTECTED), JSON.stringify(all), 'flushed');
}

/** Adds patterns for these paths to the private excludes, so that they are no untracked files. */
export async function excludePaths(gitDir: string, paths: readonly string[]): Promise<void> {
  const file = join(gitDir, 'info', 'exclude');
  const lines = ((await readTextIfThere(file)) ?? '').split('\n').filter((line) => line !== '');
  const added = paths.filter((path) => !path.includes('\n')).map(excludePattern);
  replaceFile(file, `${[...new Set([...lines, ...added])].join('\n')}\n`);
}

/** Commands of git on one work tree with the private git dir. */
export class PrivateGitDir {
  constructor(
    private readonly at: PrivateGitDirInput,
    readonly identity: Identity,
    private readonly protectedPaths: ReadonlySet<string>,
  ) {}

  get gitDir(): string {
    return this.at.gitDir;
  }

  get workTree(): string {
    return this.at.workTree;
  }

  /** Errors: `GitError`, `RepositoryGone`. */
  async run(args: readonly string[], input: GitInput = {}): Promise<string> {
    const result = await this.try(args, input);
    if (result.exitCode !== 0) throw new GitError(args, result);
    return result.stdout;
  }

  /** Errors: `RepositoryGone`, which git would tell as a fault of the private git dir. */
  async try(args: readonly string[], input: GitInput = {}): Promise<GitResult> {
    const result = await pastPipes(this.workTree, tryGit(args, this.call(input)));
    const { commonDir } = this.at.repository;
    if (result.exitCode !== 0 && !existsSync(commonDir)) throw new RepositoryGone(commonDir);
    return result;
  }

  /** The commit that the work tree is compared with; null before the first `reset`. */
  async headCommit(): Promise<string | null> {
    const text = (await readTextIfThere(join(this.gitDir, 'HEAD')))?.trim() ?? '';
    return isSha(text) ? text : null;
  }

  setHeadCommit(sha: string): void {
    replaceFile(join(this.gitDir, 'HEAD'), `${sha}\n`);
  }

  isProtected(path: string): boolean {
    if (this.protectedPaths.size === 0) return false;
    for (let part = path; part !== '.' && part !== '/'; part = posix.dirname(part))
      if (this.protectedPaths.has(part)) return true;
    return false;
  }

  /** For commands that look for files themselves: everything but the protected paths. */
  protectedPathspecs(): readonly string[] {
    return [...this.protectedPaths].map((path) => `:(exclude,top,literal)${path}`);
  }

  /**
   * Makes tracked files those of `sha` and removes what is untracked and not ignored, nested repositories too. `kept`: patterns of gitignore(5); what is ignored goes
   * as well then, but for what they name. Null: what is ignored stays.
   * Effects: only below the work tree and in the private git dir; a work tree that became a symlink or a file is moved aside first, as is what git cannot remove.
   * Errors: `TooLarge`, before anything is written.
   */
  async reset(sha: string, kept: readonly string[] | null = null): Promise<void> {
    await removeLeft(this.gitDir);
    await mendRoot(this.workTree);
    await assertTreeFits(this, sha);
    this.setHeadCommit(sha);
    const few = await listForeignFolder(this.workTree, { maxEntries: 1 });
    const nothingToClean = few?.every(({ name }) => name === '.git') === true;
    // First, where no `.gitignore` of the commit counts: a link in the place of a tracked folder would pass for that folder as long as the same files lie behind it.
    const isClean = nothingToClean || (kept !== null && (await this.clean(kept)));
    const reset = ['reset', '--quiet', '--hard', '--no-recurse-submodules', sha, '--'];
    const first = await this.try(reset);
    // A truncated or foreign index makes git refuse; it holds nothing that the commit does not.
    if (first.exitCode !== 0) {
      await rm(join(this.gitDir, 'index'), { force: true });
      await makeWritable(this.workTree);
      await this.run(reset);
    }
    // What it could not remove in a folder that is read-only, or did not know without its index, is untracked now.
    const isWhole = first.exitCode === 0 && first.stderr === '';
    if ((isClean && isWhole) || (await this.clean(kept))) return;
    await makeWritable(this.workTree);
    if (!(await this.clean(kept))) await this.moveLeftAside(kept);
  }

  private async clean(kept: readonly string[] | null): Promise<boolean> {
    const which = kept === null ? '-ffd' : '-ffdx';
    const { exitCode } = await this.try([
      'clean',
      '--quiet',
      which,
      ...this.patterns(kept).flatMap((one) => ['-e', one]),
    ]);
    return exitCode === 0;
  }

  /** What is not cleaned away. */
  private patterns(kept: readonly string[] | null): readonly string[] {
    return [...(kept ?? []), ...[...this.protectedPaths].map(excludePattern)].slice(0, MAX_CLEAN_PATTERNS);
  }

  /** A path longer than the system takes can be made from inside, and git, which names paths from the root, cannot remove it. */
  private async moveLeftAside(kept: readonly string[] | null): Promise<void> {
    const which = kept === null ? ['--exclude-standard'] : [];
    const but = this.patterns(kept).flatMap((one) => ['-x', one]);
    const listed = await this.run(['ls-files', '-o', '-z', '--directory', ...which, ...but], { encoding: 'latin1' });
    const { workTree } = this;
    for (const [index, path] of splitNul(listed).entries())
      await moveAside(joinBytes(workTree, path), dirname(workTree), `${basename(workTree)}+left${index}`);
  }

  private call({ env, ...rest }: GitInput): GitCall {
    const objects = join(this.at.repository.commonDir, 'objects');
    return {
      gitDir: this.gitDir,
      workTree: this.workTree,
      cwd: this.gitDir,
      env: { GIT_OBJECT_DIRECTORY: objects, ...env },
      ...rest,
    };
  }
}

/** A pattern of gitignore(5) for exactly this path at the root, be it a folder, a file or a symlink. A newline cannot be written in one. */
export function excludePattern(path: string): string {
  return `/${path.replace(/[\\*?[\]]/g, '\\$&').replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length))}`;
}

/** Also of one of which a power cut left an empty mark: where it stood it stands. */
async function make(input: PrivateGitDirInput, protectedPaths: readonly string[]): Promise<Identity> {
  const { gitDir } = input;
  const { identity, text, exclude, attributes } = await snapshotFor(input);
  makeFolder(join(gitDir, 'refs'));
  makeFolder(join(gitDir, 'info'));
  replaceFile(join(gitDir, 'config'), text);
  const head = (await readTextIfThere(join(gitDir, 'HEAD')))?.trim() ?? '';
  if (!isSha(head)) replaceFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  replaceFile(join(gitDir, 'info', 'exclude'), exclude);
  if (protectedPaths.length > 0) await excludePaths(gitDir, protectedPaths);
  replaceFile(join(gitDir, 'info', 'attributes'), attributes);
  replaceFile(join(gitDir, MARK), JSON.stringify(identity));
  return identity;
}

/** What a person's git says of the bytes of a commit. */
export interface Snapshot extends ConfigSnapshot {
  readonly exclude: string;
  readonly attributes: string;
}

async function snapshotFor({ repository, snapshotOf }: PrivateGitDirInput): Promise<Snapshot> {
  if (snapshotOf === null) return takeSnapshot(repository);
  return typeof snapshotOf === 'string' ? readSnapshot(snapshotOf) : snapshotOf;
}

export async function takeSnapshot(repository: Repository): Promise<Snapshot> {
  const [config, info] = await Promise.all([takeConfigSnapshot(repository), readInfo(repository.commonDir)]);
  return { ...config, ...info };
}

/** Of a private git dir. Errors: plain Error if that one is not complete. */
export async function readSnapshot(gitDir: string): Promise<Snapshot> {
  const [info, text, identity] = await Promise.all([
    readInfo(gitDir),
    readTextIfThere(join(gitDir, 'config')),
    readIdentity(gitDir),
  ]);
  if (text === null || identity === null) throw new Error(`${gitDir} is not the private git dir of a run`);
  return { text, identity, ...info };
}

/** Null: the private git dir is not complete. */
async function readIdentity(gitDir: string): Promise<Identity | null> {
  const known = parseJson(await readTextIfThere(join(gitDir, MARK)));
  // Our own file, complete or empty: no shape but the written one can be in it.
  return known === undefined ? null : (known as Identity);
}

async function readInfo(gitDir: string): Promise<Pick<Snapshot, 'exclude' | 'attributes'>> {
  const [exclude, attributes] = await Promise.all(
    ['exclude', 'attributes'].map((name) => readTextIfThere(join(gitDir, 'info', name))),
  );
  return { exclude: exclude ?? '', attributes: attributes ?? '' };
}

async function readProtected(gitDir: string): Promise<readonly string[]> {
  const text = await readTextIfThere(join(gitDir, PROTECTED));
  // Our own file, as above, and never empty.
  return text === null ? [] : (JSON.parse(text) as string[]);
}

/** What a git that was killed left, and a look that would have kept its index; nobody else works in this folder. */
async function removeLeft(gitDir: string): Promise<void> {
  for (const { name } of (await listForeignFolder(gitDir, { maxEntries: MAX_ENTRIES })) ?? [])
    if (name.endsWith('.lock') || name.startsWith('index.')) await unlink(join(gitDir, name));
}

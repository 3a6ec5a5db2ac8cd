/**
 * Cheap looks at a repository on this machine, so that a bad one is refused before anything starts. The host checks all of it again.
 * No command here runs a program that the repository's config names: run-git.ts switches off hooks, fsmonitor, pagers and transports,
 * and the diffs here know no textconv and no external program.
 */
import { realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownGitDir } from '../config/home/own-git-dir.js';
import { type Git, isSquashMerged, SQUASH_ENVIRONMENT } from '../config/system/squash-merge.js';
import { projectOf } from '../protocol/actors/project.js';
import { RefusedError } from '../protocol/text/refusal.js';
import { runGit } from './run-git.js';

export interface FoundRepository {
  readonly kind: 'ok';
  readonly root: string;
  /** The top of the main work tree, which is another than `root` where that is a linked one, such as a run's. */
  readonly main: string;
  readonly head: string;
  readonly branch: string | null;
}

export type RepositoryLook =
  | FoundRepository
  | { readonly kind: 'not_git' | 'bare' | 'no_git' | 'missing' }
  | { readonly kind: 'no_commits'; readonly root: string }
  /** The repository's config names another folder as its work tree. */
  | { readonly kind: 'elsewhere'; readonly root: string };

export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

export interface ChangedFile {
  /** As git prints it: quoted where a name is odd. */
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
}

/** Of a patch and its numbers; plumbing, so that no `diff.*` of a config changes what `git apply` would get. */
const DIFF = [
  'diff-tree',
  '-r',
  '-M',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
  '--ignore-submodules=none',
];

const PATCH = ['-p', '--src-prefix=a/', '--dst-prefix=b/'];

/** Unit: bytes of the names of a commit's files, some million of them: git holds all of them in memory before it compares. */
const MAX_NAMES_BYTES = 128 * 1024 * 1024;

/** Git was ended before it was done. */
export function gitWasEnded(of: 'output' | 'time', { command, root }: { command: string; root: string }): RefusedError {
  const what = `git ${command} ${of === 'output' ? 'printed too much' : 'took more than 3 minutes'}, in ${root}, and was ended`;
  return new RefusedError({ what, ...WHY_ENDED[of], now: 'Nothing was changed.' });
}

const WHY_ENDED = {
  output: {
    why: 'a commit of a kilobyte can stand for 10^10 files; git must not take the memory of the machine for them',
    mend: 'sluice status',
  },
  time: {
    why: 'a pipe that stands where git keeps a file of its own, such as a ref, holds it for ever; a slow or busy disk holds it for long',
    mend: 'find . -type p    in that folder lists such pipes: remove them; where there is none, try again',
  },
};

/** `root` is the real path of the work tree's top. Errors: RefusedError where git was ended. */
export async function lookAtRepository(path: string): Promise<RepositoryLook> {
  const place = await runGit(['rev-parse', '--is-bare-repository', '--is-inside-work-tree', '--show-toplevel'], {
    cwd: path,
  });
  if (place.kind === 'limit') throw gitWasEnded(place.of, { command: 'rev-parse', root: path });
  if (place.kind === 'no_git' || place.kind === 'missing') return { kind: place.kind };
  const [bare, inside, ...top] = place.stdout.replace(/\n$/, '').split('\n');
  if (place.kind === 'failed' || inside !== 'true') return { kind: bare === 'true' ? 'bare' : 'not_git' };
  const root = top.join('\n');
  const [dirs, names] = await Promise.all([
    runGit(['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir'], { cwd: path }),
    gitIn(root, ['rev-parse', 'HEAD^{commit}', '--abbrev-ref=loose', 'HEAD']),
  ]);
  // A path may hold newlines; each begins with `/`.
  const [gitDir, commonDir] = dirs.kind === 'ok' ? dirs.stdout.replace(/\n$/, '').split(/\n(?=\/)/) : [];
  if (gitDir === undefined || commonDir === undefined || ownGitDir(root) !== realpathSync(gitDir))
    return { kind: 'elsewhere', root };
  const [head, branch] = names?.split('\n') ?? [];
  if (head === undefined || branch === undefined) return { kind: 'no_commits', root };
  const main = dirname(commonDir);
  // No folder beside a bare repository, or one apart from its work tree, is a main work tree.
  const hasMain = ownGitDir(main) === realpathSync(commonDir);
  return { kind: 'ok', root, main: hasMain ? main : root, head, branch: branch === 'HEAD' ? null : branch };
}

/** Whether what began at `repo`, the real path of a work tree's top, belongs to this repository; a run's own worktree is one of it too. */
export function isOf({ root, main }: FoundRepository, repo: string | null): boolean {
  return repo === root || repo === main;
}

/** What it is called where no config says otherwise: by the folder of the repository itself, also in a linked worktree. */
export async function projectAt(root: string): Promise<string> {
  const commonDir = await gitIn(root, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  return projectOf(commonDir?.trimEnd() ?? root);
}

/** The commit that a name means, or null. */
export async function commitOf(root: string, name: string): Promise<string | null> {
  const answer = await gitIn(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return answer === null ? null : answer.trimEnd();
}

/** By its commits: a squash of them is another commit. Null where it cannot be told: the branch or the commit is not here. */
export async function isMerged(root: string, head: string, baseBranch: string): Promise<boolean | null> {
  const [base, known] = [await commitOf(root, `refs/heads/${baseBranch}`), await commitOf(root, head)];
  if (base === null || known === null) return null;
  return (await gitIn(root, ['merge-base', '--is-ancestor', known, base])) !== null;
}

/** **Unit** ms. A base that was moved to another history makes git list all of the old one. */
const LIST_LIMIT_MS = 2_000;

/** Which of these commits `isMerged`, all at once; none where git does not tell in time. */
export async function mergedOf(
  root: string,
  heads: readonly string[],
  baseBranch: string,
): Promise<ReadonlySet<string>> {
  const base = await commitOf(root, `refs/heads/${baseBranch}`);
  if (base === null) return new Set();
  const list = async (...args: readonly string[]) => {
    const look = { cwd: root, gitDir: join(root, '.git'), limitMs: LIST_LIMIT_MS };
    const answer = await runGit(['rev-list', '--ignore-missing', ...args], look);
    return answer.kind === 'ok' ? new Set(answer.stdout.split('\n')) : null;
  };
  const [here, beyond] = await Promise.all([list('--no-walk', ...heads), list(...heads, `^${base}`)]);
  return new Set(heads.filter((head) => here?.has(head) === true && beyond?.has(head) === false));
}

/** Whether the base has all of it as one commit. False where it cannot be told. */
export async function isSquashed(root: string, head: string, baseBranch: string): Promise<boolean> {
  const [base, known] = [await commitOf(root, `refs/heads/${baseBranch}`), await commitOf(root, head)];
  if (base === null || known === null) return false;
  return (await writingElsewhere(root, (git) => isSquashMerged(git, known, base))) === true;
}

/** For git that writes an object, of which the repository has no use. Null: there is no room for it. Effects: a folder that is gone at the end. */
async function writingElsewhere<T>(root: string, work: (git: Git) => Promise<T>): Promise<T | null> {
  const objects = await mkdtemp(join(tmpdir(), 'sluice-look-')).catch(() => null);
  if (objects === null) return null;
  try {
    const real = await gitIn(root, ['rev-parse', '--path-format=absolute', '--git-path', 'objects']);
    const env = {
      ...SQUASH_ENVIRONMENT,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: (real ?? '').replace(/\n$/, ''),
    };
    return await work((args) => gitIn(root, args, env));
  } finally {
    await rm(objects, { recursive: true, force: true });
  }
}

/** The folder in which a branch is checked out; null: in none. */
export async function checkoutOf(root: string, branch: string): Promise<string | null> {
  const listed = (await gitIn(root, ['worktree', 'list', '--porcelain', '-z'])) ?? '';
  const blocks = listed.split('\0\0').map((block) => block.split('\0'));
  const there = blocks.find((lines) => lines.includes(`branch refs/heads/${branch}`));
  return there?.find((line) => line.startsWith('worktree '))?.slice('worktree '.length) ?? null;
}

/** A file's text at a commit, or null where it has none. */
export function textAt(root: string, commit: string, path: string): Promise<string | null> {
  return gitIn(root, ['cat-file', 'blob', `${commit}:${path}`]);
}

/** Null where one of the commits is not here. Errors, of all three: RefusedError where git was ended. */
export async function diffStat(root: string, base: string, head: string): Promise<DiffStat | null> {
  const files = await diffFiles(root, base, head);
  if (files === null) return null;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    files: files.length,
    insertions: sum(files.map(({ insertions }) => insertions)),
    deletions: sum(files.map(({ deletions }) => deletions)),
  };
}

/** The numbers of a binary file are 0. Null as of `diffStat`. */
export async function diffFiles(root: string, base: string, head: string): Promise<readonly ChangedFile[] | null> {
  const answer = await compared(root, ['--numstat'], { base, head });
  if (answer === null) return null;
  const rows = answer.split('\n').filter((row) => row !== '');
  return rows.map((row) => {
    const [insertions, deletions, ...path] = row.split('\t');
    return { path: path.join('\t'), insertions: Number(insertions) || 0, deletions: Number(deletions) || 0 };
  });
}

/** The whole change as people read it. */
export function diffText(root: string, base: string, head: string): Promise<string | null> {
  return compared(root, PATCH, { base, head });
}

/** The whole change as a patch that `git apply` takes, with what is binary and text of any encoding. */
export async function diffBytes(root: string, base: string, head: string): Promise<Buffer | null> {
  const patch = await compared(root, [...PATCH, '--binary', '--full-index'], { base, head, encoding: 'latin1' });
  return patch === null ? null : Buffer.from(patch, 'latin1');
}

/** The same, for who holds it in memory with others: git is ended at so much of it. */
export function diffTextUpTo(root: string, commits: Compared & { readonly maxBytes: number }): Promise<string | null> {
  return compared(root, PATCH, commits);
}

export async function gitVersion(): Promise<string | null> {
  const answer = await runGit(['--version'], { cwd: '.' });
  return answer.kind === 'ok' ? answer.stdout.trimEnd().replace(/^git version /, '') : null;
}

/** Git is told the git directory: a second search could end at another one, and needs `safe.directory` of a config that is not read here. */
async function gitIn(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const answer = await runGit(args, { cwd: root, gitDir: join(root, '.git'), env });
  if (answer.kind === 'limit') throw gitWasEnded(answer.of, { command: args[0] ?? '', root });
  return answer.kind === 'ok' ? answer.stdout : null;
}

interface Compared {
  readonly base: string;
  readonly head: string;
  /** **Unit** bytes of what git prints. */
  readonly maxBytes?: number;
  readonly encoding?: 'latin1';
}

/** What both commits hold is asked for first: the base comes from a file that an agent may have written, as the head does. */
async function compared(
  root: string,
  form: readonly string[],
  { base, head, ...limits }: Compared,
): Promise<string | null> {
  await assertFits(root, base);
  await assertFits(root, head);
  const call = { cwd: root, gitDir: join(root, '.git'), ...limits };
  const answer = await runGit([...DIFF, ...form, '--end-of-options', base, head], call);
  if (answer.kind === 'limit') throw gitWasEnded(answer.of, { command: 'diff-tree', root });
  return answer.kind === 'ok' ? answer.stdout : null;
}

/** A tree of 936 bytes can stand for 10^10 paths. The list of them is written as it is found, so counting takes no memory. */
async function assertFits(root: string, commit: string): Promise<void> {
  const args = ['ls-tree', '-r', '--name-only', '--end-of-options', commit];
  const answer = await runGit(args, { cwd: root, gitDir: join(root, '.git'), maxBytes: MAX_NAMES_BYTES });
  if (answer.kind === 'limit') throw gitWasEnded(answer.of, { command: `ls-tree ${commit}`, root });
}

/**
 * Cheap looks at a repository on this machine, so that a bad one is refused before anything starts. The host checks all of it again.
 * No command here runs a program that the repository's config names: hooks, fsmonitor, pagers, textconv and external diffs are off.
 */
import { existsSync } from 'node:fs';
import { execa } from 'execa';

export type RepositoryLook =
  | { readonly kind: 'ok'; readonly root: string; readonly head: string; readonly branch: string | null }
  | { readonly kind: 'not_git' | 'bare' | 'no_commits' | 'no_git' | 'missing' };

export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

const SAFE = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const ENV = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };

/** `root` is the real path of the work tree's top. */
export async function lookAtRepository(path: string): Promise<RepositoryLook> {
  const place = await git(path, ['rev-parse', '--is-bare-repository', '--is-inside-work-tree']);
  if (place.kind === 'failed') return { kind: 'not_git' };
  if (place.kind !== 'ok') return { kind: place.kind };
  const [bare, inside] = place.stdout.split('\n');
  if (inside !== 'true') return { kind: bare === 'true' ? 'bare' : 'not_git' };
  const top = await git(path, ['rev-parse', '--show-toplevel']);
  if (top.kind !== 'ok') return { kind: 'not_git' };
  const [head, branch] = await Promise.all([
    git(path, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    git(path, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
  ]);
  if (head.kind !== 'ok') return { kind: 'no_commits' };
  return { kind: 'ok', root: top.stdout, head: head.stdout, branch: branch.kind === 'ok' ? branch.stdout : null };
}

/** The commit that a name means, or null. */
export async function commitOf(root: string, name: string): Promise<string | null> {
  const answer = await git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return answer.kind === 'ok' ? answer.stdout : null;
}

/** A file's text at a commit, or null where it has none. */
export async function textAt(root: string, commit: string, path: string): Promise<string | null> {
  const answer = await git(root, ['cat-file', 'blob', `${commit}:${path}`], { keepEnd: true });
  return answer.kind === 'ok' ? answer.stdout : null;
}

/** Null where one of the commits is not here. */
export async function diffStat(root: string, base: string, head: string): Promise<DiffStat | null> {
  const answer = await git(root, ['diff', '--numstat', '--no-ext-diff', '--no-textconv', '--end-of-options', base, head]);
  if (answer.kind !== 'ok') return null;
  const rows = answer.stdout.split('\n').filter((row) => row !== '');
  const sum = (column: 0 | 1) => rows.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0);
  return { files: rows.length, insertions: sum(0), deletions: sum(1) };
}

/** The whole change as a patch that `git apply` takes. */
export async function diffText(root: string, base: string, head: string): Promise<string | null> {
  const answer = await git(root, ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--end-of-options', base, head], {
    keepEnd: true,
  });
  return answer.kind === 'ok' ? answer.stdout : null;
}

export async function gitVersion(): Promise<string | null> {
  const answer = await git('.', ['--version']);
  return answer.kind === 'ok' ? answer.stdout.replace(/^git version /, '') : null;
}

type GitAnswer =
  | { readonly kind: 'ok'; readonly stdout: string }
  | { readonly kind: 'failed'; readonly stderr: string }
  | { readonly kind: 'no_git' }
  | { readonly kind: 'missing' };

async function git(cwd: string, args: readonly string[], { keepEnd = false } = {}): Promise<GitAnswer> {
  const result = await execa('git', [...SAFE, ...args], { cwd, env: ENV, reject: false, stripFinalNewline: !keepEnd, stdin: 'ignore' });
  // Node answers ENOENT for a missing folder as for a missing program.
  if (result.code === 'ENOENT' || result.code === 'ENOTDIR') return { kind: existsSync(cwd) ? 'no_git' : 'missing' };
  if (result.failed) return { kind: 'failed', stderr: result.stderr };
  return { kind: 'ok', stdout: result.stdout };
}

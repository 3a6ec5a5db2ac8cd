/**
 * The repository as a command sees it: a git dir of its own, in memory, with the refs, the index and a config that names no program and no remote, over
 * the objects of the repository, which it can only read. Inside, git can do all that it ever can (commit, branch, gc, hooks, config), and nothing of it
 * is outside: no ref, no object, no hook and no config of the repository changes, and no token of a remote is seen.
 * What an agent commits there is in its worktree all the same, which is what the engine commits; the messages of such commits are gone.
 */
import { existsSync, lstatSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { replaceFile } from '../../config/system/replace-file.js';
import { readTextIfThere } from '../git/refs/read-ref.js';
import { findAdminDir } from '../git/refs/worktree-registration.js';
import type { Identity, Repository } from '../git/start/contract.js';
import { ON_REAL_REPOSITORY, tryGit } from '../git/start/run-git.js';
import { INSIDE_FOLDER, type Mount } from './sandbox-spec.js';

export interface GitViewInput {
  readonly repository: Repository;
  readonly worktree: string;
  /** Short: `sluice/<runId>`. */
  readonly branch: string;
  readonly baseBranch: string;
  /** The run's own, whose index and config count. */
  readonly privateGitDir: string;
  /** Where the texts lie until the sandbox has copied them: a folder of the command, which exists. */
  readonly folder: string;
}

const OBJECTS_INSIDE = `${INSIDE_FOLDER}/objects`;

export interface GitView {
  readonly mounts: readonly Mount[];
  /** Lie over the checkout. */
  readonly over: readonly Mount[];
}

/**
 * For the worktree, whose `.git` names a folder of the repository. That file is a text of ours to read: whoever could write it would choose the config that a
 * person's next git obeys outside, and no write, rename or removal gets past a mount.
 */
export async function worktreeGit(input: GitViewInput): Promise<GitView> {
  const { repository, worktree, branch, baseBranch, privateGitDir, folder } = input;
  const { commonDir } = repository;
  const adminDir = (await findAdminDir(commonDir, worktree)) ?? join(commonDir, 'worktrees', basename(worktree));
  const alternates = await alternatesOf(commonDir);
  const texts: Readonly<Record<string, string>> = {
    [join(commonDir, 'HEAD')]: `ref: refs/heads/${baseBranch}\n`,
    [join(commonDir, 'config')]: await configText(privateGitDir),
    [join(commonDir, 'packed-refs')]: await refsText(commonDir, branch),
    [join(commonDir, 'objects', 'info', 'alternates')]: [OBJECTS_INSIDE, ...alternates]
      .map((path) => `${path}\n`)
      .join(''),
    [join(adminDir, 'HEAD')]: `ref: refs/heads/${branch}\n`,
    [join(adminDir, 'commondir')]: '../..\n',
    [join(adminDir, 'gitdir')]: `${join(worktree, '.git')}\n`,
  };
  const copies: Mount[] = [];
  for (const [index, [to, text]] of Object.entries(texts).entries()) {
    const from = join(folder, `git-${index}`);
    replaceFile(from, text);
    copies.push({ kind: 'copy', from, to });
  }
  const own = [
    [join(privateGitDir, 'index'), join(adminDir, 'index')],
    [join(privateGitDir, 'info', 'exclude'), join(commonDir, 'info', 'exclude')],
    [join(privateGitDir, 'info', 'attributes'), join(commonDir, 'info', 'attributes')],
    [join(commonDir, 'shallow'), join(commonDir, 'shallow')],
  ] as const;
  const dotGit = join(folder, 'dot-git');
  replaceFile(dotGit, `gitdir: ${adminDir}\n`);
  const mounts: readonly Mount[] = [
    { kind: 'empty', to: commonDir },
    { kind: 'folder', to: join(commonDir, 'refs') },
    ...copies,
    ...own.filter(([from]) => isFile(from)).map(([from, to]): Mount => ({ kind: 'copy', from, to })),
    { kind: 'read', from: join(commonDir, 'objects'), to: OBJECTS_INSIDE },
    ...alternates.map(read),
  ];
  return { mounts, over: [{ kind: 'read', from: dotGit, to: join(worktree, '.git') }] };
}

/** For the validation checkout, whose own `.git` borrows the repository's objects by their path. */
export async function checkoutGit({ commonDir }: Repository): Promise<GitView> {
  return { mounts: [read(join(commonDir, 'objects')), ...(await alternatesOf(commonDir)).map(read)], over: [] };
}

/** Absolute. What does not look like objects of git is not shown: the file lies where an agent without a sandbox could write. */
async function alternatesOf(commonDir: string): Promise<readonly string[]> {
  const objects = join(commonDir, 'objects');
  const text = (await readTextIfThere(join(objects, 'info', 'alternates'))) ?? '';
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('"'))
    .map((line) => (isAbsolute(line) ? resolve(line) : resolve(objects, line)))
    .filter(
      (path) => basename(path) === 'objects' && existsSync(join(path, 'pack')) && !lstatSync(path).isSymbolicLink(),
    )
    .slice(0, 10);
}

async function configText(privateGitDir: string): Promise<string> {
  const [text, mark] = await Promise.all(
    ['config', 'sluice.json'].map((name) => readTextIfThere(join(privateGitDir, name))),
  );
  // Our own file, made with the private git dir.
  const { name, email } = JSON.parse(mark ?? '{}') as Identity;
  const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `${text ?? ''}[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n`;
}

/** Every branch, tag and remote ref, but no branch of another run. Read by git, so that each storage of refs will do. */
async function refsText(commonDir: string, branch: string): Promise<string> {
  const args = [
    ...ON_REAL_REPOSITORY,
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads',
    'refs/tags',
    'refs/remotes',
  ];
  const { stdout } = await tryGit(args, { gitDir: commonDir });
  const lines = stdout.split('\n').filter((line) => {
    const name = line.slice(line.indexOf(' ') + 1);
    return line !== '' && (!name.startsWith('refs/heads/sluice/') || name === `refs/heads/${branch}`);
  });
  return lines.map((line) => `${line}\n`).join('');
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function read(path: string): Mount {
  return { kind: 'read', from: path, to: path };
}

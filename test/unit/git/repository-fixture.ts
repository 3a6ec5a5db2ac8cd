/** Real repositories in temp folders, for the tests of activities/git. Each test's folder goes away with `removeFolders`. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { openRunGit, type RunGit } from '../../../activities/git/run/open-run-git.js';
import type { Repository } from '../../../activities/git/start/contract.js';
import { addWorktree } from '../../../activities/git/worktree/add-worktree.js';
import { branchOf, headRefOf } from '../../../protocol/names.js';
import { runInOneShell } from '../../support/in-one-shell.js';

const folders: string[] = [];

export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-git-')));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Git as a person or an agent runs it, with a config of nobody's. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', ['-C', cwd, ...args], {
    env: environment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}

function environment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
    // Else each commit starts one more git, to find that there is nothing to tidy.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'maintenance.auto',
    GIT_CONFIG_VALUE_0: 'false',
  };
}

export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const FIRST_COMMIT = `
  git init --quiet --initial-branch=main
  git add --all
  git commit --quiet --allow-empty --message 'First commit'
`;

/** A repository with one commit of these files. */
export function makeRepository(
  files: Readonly<Record<string, string>> = { 'README.md': 'hello\n' },
  folder = join(tempFolder(), 'project'),
): string {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) write(folder, path, text);
  runInOneShell(FIRST_COMMIT, { cwd: folder, env: environment() });
  return folder;
}

export interface OpenedRun {
  readonly root: string;
  readonly repository: Repository;
  readonly home: string;
  readonly runId: string;
  readonly worktree: string;
  readonly gitDir: string;
  readonly base: string;
  readonly run: RunGit;
}

/** A repository with the worktree of a run in it, checked out at its first commit. */
export async function openRun(
  files?: Readonly<Record<string, string>>,
  root = makeRepository(files),
): Promise<OpenedRun> {
  const repository = await findRepository(root);
  const home = tempFolder();
  const runId = 'project-1';
  const base = git(root, 'rev-parse', 'HEAD').trim();
  const worktree = join(home, 'worktrees', runId);
  const gitDir = join(home, 'state', runId, 'git');
  await addWorktree({
    repository,
    runId,
    owner: 'chain-1',
    branch: branchOf(runId),
    baseSha: base,
    path: worktree,
    formerOwner: null,
  });
  const run = await reopen({ repository, worktree, gitDir, runId });
  await run.restore(base);
  return { root, repository, home, runId, worktree, gitDir, base, run };
}

export function reopen(at: {
  repository: Repository;
  worktree: string;
  gitDir: string;
  runId: string;
}): Promise<RunGit> {
  return openRunGit({ ...at, branch: branchOf(at.runId), headRef: headRefOf(at.runId) });
}

/** A program that leaves `canary` behind when it runs, whatever git makes it for. */
export function canaryProgram(folder: string): { readonly program: string; readonly canary: string } {
  const canary = join(folder, 'canary');
  const program = join(folder, 'canary.sh');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${canary}'\ncat 2>/dev/null\nexit 0\n`);
  chmodSync(program, 0o755);
  return { program, canary };
}

/** A host whose agents leave a git of their own in their worktree, and what a person's git then shows. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Observation } from '../../../protocol/messages/journal.js';
import { fixtureWith } from '../../support/test-repository.js';
import { tempFolder } from '../git/repository-fixture.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

/** Made by a program that the person's git starts. */
export const marker = join(tempFolder(), 'started');

/** A git dir in an ignored folder whose config starts a program, and a `.git` file that leads there. */
export const PLANT = [
  'mkdir -p node_modules && git init -q node_modules/.e',
  `git config -f node_modules/.e/.git/config core.worktree "$PWD"`,
  `git config -f node_modules/.e/.git/config core.fsmonitor "touch ${marker}; false"`,
  `printf 'gitdir: %s\\n' "$PWD/node_modules/.e/.git" > .git`,
].join(' && ');

/** One turn a round. */
export const STAGES = {
  planning: [{ run: PLANT, text: 'A plan.' }],
  executing: [
    { append: { 'a.txt': 'changed\n' }, run: PLANT, text: 'Done.' },
    { append: { 'a.txt': 'changed\n' }, run: PLANT, exit: 9 },
    { append: { 'a.txt': 'changed\n' }, text: 'Done.' },
  ],
};

export const PLANTING = { fixture: fixtureWith(STAGES), files: { '.gitignore': 'node_modules\n' } };

export async function aHostWithSubmodule(): Promise<RewindHost> {
  const host = await aRewindHost({ ...PLANTING, config: 'rounds: 2\n' });
  host.repository.git(
    'update-index',
    '--add',
    '--cacheinfo',
    `160000,${host.repository.git('rev-parse', 'HEAD').trim()},sub`,
  );
  host.repository.git('commit', '--quiet', '-m', 'A submodule');
  return host;
}

export const worktreeOf = ({ opened }: DrivenRun) => opened.worktree;

export function adminDirOf(host: RewindHost, run: DrivenRun): string {
  return join(host.repository.path, '.git/worktrees', run.runId);
}

export function plant(run: DrivenRun): void {
  execFileSync('/bin/sh', ['-c', PLANT], { cwd: worktreeOf(run) });
}

/** What a shell prompt does in the worktree. */
export function lookAsPerson(run: DrivenRun): string {
  return execFileSync('git', ['status', '--short', '--branch'], { cwd: worktreeOf(run), encoding: 'utf8' });
}

export function violations(observations: readonly Observation[] = []): readonly string[] {
  return observations.flatMap(({ type, data, message }) =>
    type === 'policy.violation' && data['rule'] === 'own_git' ? [message] : [],
  );
}

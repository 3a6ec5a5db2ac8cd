/** The repository a command works in: found from a path, or refused in four parts before anything starts. */
import { resolve } from 'node:path';
import type { RefusedError } from '../../../protocol/text/refusal.js';
import { shellWord } from '../../../protocol/text/shell-word.js';
import { commitOf, lookAtRepository, type RepositoryLook } from '../../repository.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { refusal } from './run-arguments.js';

export interface CheckedRepository {
  readonly root: string;
  readonly baseSha: string;
  /** What is checked out. */
  readonly head: string;
  /** Null when the checkout's HEAD is detached. */
  readonly branch: string | null;
}

/** Errors: RefusedError for what is no repository that a run could start from. */
export async function checkRepository(
  { io }: Context,
  { repo, base }: { readonly repo?: string | undefined; readonly base?: string | undefined },
): Promise<CheckedRepository> {
  const path = resolve(io.cwd, repo ?? '.');
  const shown = foreign(path);
  const look = await lookAtRepository(path);
  if (look.kind !== 'ok') throw whyNoRepository(look, path);
  if (base === undefined) return { root: look.root, baseSha: look.head, head: look.head, branch: look.branch };
  const baseSha = await commitOf(look.root, base);
  if (baseSha !== null) return { root: look.root, baseSha, head: look.head, branch: look.branch };
  throw refusal(
    `there is no branch or commit "${foreign(base)}" (from --base) in ${shown}`,
    'the base must name a commit',
    'git branch --list    shows the branches',
  );
}

function whyNoRepository(look: Exclude<RepositoryLook, { kind: 'ok' }>, path: string): RefusedError {
  const shown = foreign(path);
  switch (look.kind) {
    case 'missing':
      return refusal(
        `there is no folder ${shown} (from --repo)`,
        'a run works in a git repository on this machine',
        'sluice run "<task>" --repo <path>',
      );
    case 'no_git':
      return refusal(
        'the program git is not on PATH',
        'sluice works in git repositories',
        'install git, then: sluice doctor',
      );
    case 'not_git':
      return refusal(
        `${shown} is not a git repository`,
        'a run makes a branch and a worktree of a git repository',
        'cd into one, or: git init && git add -A && git commit -m "start"',
      );
    case 'bare':
      return refusal(
        `${shown} is a bare repository`,
        'a run needs a repository with a work tree',
        `git clone ${shellWord(foreign(path))} <folder> && cd <folder>`,
      );
    case 'elsewhere':
      return refusal(
        `the config of the repository at ${shown} names another work tree (core.worktree): ${foreign(look.root)}`,
        'a run works where you named it',
        `git -C ${shellWord(foreign(path))} config --unset core.worktree`,
      );
    case 'no_commits':
      return refusal(`${shown} has no commits`, 'a run starts from a commit', 'git add -A && git commit -m "start"');
  }
}

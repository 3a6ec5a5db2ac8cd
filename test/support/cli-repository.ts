/** A git repository as a person has it, with nothing of sluice in it, and what a run may have left there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commitFirst } from './test-repository.js';

export interface CliRepository {
  readonly path: string;
  git(...args: readonly string[]): string;
  write(name: string, text: string | Buffer): void;
  /** Everything of the repository that a run could leave behind. */
  traces(): RepositoryTraces;
  /** Byte for byte what is the person's: the index, what `git status` says, the stash, HEAD and the files. */
  checkout(): readonly string[];
}

export interface RepositoryTraces {
  readonly branches: readonly string[];
  readonly sluiceRefs: readonly string[];
  readonly worktrees: number;
  readonly runs: readonly string[];
}

export const UNTOUCHED: RepositoryTraces = { branches: ['main'], sluiceRefs: [], worktrees: 1, runs: [] };

export function makeCliRepository(path: string): CliRepository {
  mkdirSync(path, { recursive: true });
  const repository = openCliRepository(path);
  repository.write('a.txt', 'one\n');
  commitFirst(path);
  return repository;
}

export function openCliRepository(path: string): CliRepository {
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...args], { cwd: path, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = (...args: readonly string[]) =>
    git(...args)
      .split('\n')
      .filter((line) => line !== '');
  return {
    path,
    git,
    write(name, text) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    },
    traces() {
      const runs = join(path, '.sluice/runs');
      return {
        branches: lines('for-each-ref', '--format=%(refname:short)', 'refs/heads'),
        sluiceRefs: lines('for-each-ref', '--format=%(refname)', 'refs/sluice'),
        worktrees: lines('worktree', 'list', '--porcelain').filter((line) => line.startsWith('worktree ')).length,
        runs: existsSync(runs) ? readdirSync(runs).filter((name) => name !== '.gitignore') : [],
      };
    },
    checkout() {
      // The index first: a status may refresh it.
      const index = readFileSync(join(path, '.git/index')).toString('base64');
      const state = [
        git('--no-optional-locks', 'status', '--porcelain=v2', '--branch'),
        git('stash', 'list'),
        git('rev-parse', 'HEAD'),
      ];
      const files = lines('ls-files', '-co', '--exclude-standard').map(
        (name) => `${name}: ${readFileSync(join(path, name)).toString('base64')}`,
      );
      return [index, ...state, ...files];
    },
  };
}

/** A shell program that does its part in every stage: the change is one line in a.txt. It notes each start in `$HOME/agent.txt`. */
export const GOOD_AGENT = `prompt=$(cat)
echo "$SLUICE_STAGE" >> "$HOME/agent.txt"
last=$(printf '%s\\n' "$prompt" | grep -E '^(DECISION|VERIFICATION) ' | tail -n 1)
case $SLUICE_STAGE in
  executing) echo changed >> a.txt; echo 'added a line' ;;
  reviewing) echo "DECISION $(echo "$last" | sed 's/^DECISION \\([0-9a-f]*\\):.*/\\1/'): APPROVED" ;;
  verifying) echo "VERIFICATION $(echo "$last" | sed 's/^VERIFICATION \\([0-9a-f]*\\):.*/\\1/'): PASSED" ;;
  *) echo "the part of $SLUICE_STAGE" ;;
esac`;

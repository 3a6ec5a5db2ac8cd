/**
 * Tells from git's own words what passes with time: somebody else holds a file, or the host has no room or memory. Callers try again then;
 * anything else that git says lies in the repository, where trying again changes nothing. The only place that reads such words.
 */
import { GitError } from './run-git.js';

/** The last one: git reads the admin folder of every worktree, also of one that another process is just making. Samples of every alternative: test/unit/git/find-repository.test.ts. */
const BUSY =
  /\.lock'?: File exists|[Uu]nable to create .*\.lock|could not lock|cannot lock ref(?!.* exists; cannot create )|could not create directory of|could not create leading directories of|failed to read .*\/worktrees\/.*\/(?:commondir|gitdir|HEAD)/;

/**
 * What the system says at the end of a line (strerror), or git itself when it cannot start a part of its own; and what git says of a write that
 * failed without the system's word. Samples: test/unit/git/git-errors.test.ts.
 */
const HOST_TROUBLE =
  /(?:: (?:No space left on device|Disk quota exceeded|Input\/output error|Read-only file system|Cannot allocate memory|Too many open files(?: in system)?|Resource temporarily unavailable|Stale file handle|No child processes)|^fatal: Out of memory.*|^error: cannot fork.*|^error: unable to write file .*|^(?:error|fatal): .*couldn't write '.*'|^(?:error|fatal): (?:[Uu]nable to|Could not) write new[ _]index file\.?)$/m;

/** A ref is a file or a folder of refs, never both (git-check-ref-format.txt): it stays in the way until somebody renames it. */
const IN_THE_WAY = /cannot lock ref '.*': '(.+)' exists; cannot create /;

/** The ref that keeps git from making another one above or below it, by its full name; null: it was something else. */
export function refInTheWay(error: unknown): string | null {
  return error instanceof GitError ? (IN_THE_WAY.exec(error.result.stderr)?.[1] ?? null) : null;
}

export function isRepositoryBusy(error: unknown): boolean {
  return error instanceof GitError && BUSY.test(error.result.stderr);
}

/** Trouble of the host, which a person of it mends. */
export function isHostTrouble(error: unknown): boolean {
  return error instanceof GitError && HOST_TROUBLE.test(error.result.stderr);
}

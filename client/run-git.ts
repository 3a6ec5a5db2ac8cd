/**
 * Starts git for the command line, in repositories whose live config, attributes and hooks an agent can write.
 * Git gets an environment of our own and no transport, so that neither that config nor an inherited `GIT_*` can name a program that runs.
 * `execFile` and not execa: loading that takes as long as a whole `sluice --help`.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { endingSignal } from '../config/system/ending-signal.js';
import { GIT_ENVIRONMENT, GIT_RUNS_NOTHING } from '../config/system/git-safety.js';
import { programPath } from '../config/system/program-path.js';
import { resolveProgram } from '../config/system/resolve-program.js';

export interface GitCall {
  readonly cwd: string;
  /** Absent only where the repository is looked for: then the person's own config counts, with its `safe.directory`. */
  readonly gitDir?: string;
  /** Unit: bytes of output. Default: `MAX_OUTPUT_BYTES`. */
  readonly maxBytes?: number;
  /** Unit: ms. Default: `LIMIT_MS`. */
  readonly limitMs?: number;
  /** `latin1`: a character a byte, for output of any bytes. Default: `utf8`. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Beside what every call has. */
  readonly env?: Readonly<Record<string, string>>;
}

export type GitAnswer =
  | { readonly kind: 'ok'; readonly stdout: string }
  | { readonly kind: 'failed'; readonly stdout: string }
  /** It was ended: it printed too much, or took too long. */
  | { readonly kind: 'limit'; readonly of: 'output' | 'time' }
  | { readonly kind: 'no_git' }
  /** The folder. */
  | { readonly kind: 'missing' };

/** An object of a few kilobytes can stand for gigabytes. Source: activities/git/runner/start-git.ts, which loads nothing. */
const GIT_ALLOC_LIMIT = '1g';

/** Without an index no diff takes a file of the work tree for the blob that a forged index calls unchanged (diff.c, reuse_worktree_file). */
const KNOWN_REPOSITORY: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_INDEX_FILE: '/nonexistent/index',
};

const PERSONS_CONFIG = [
  'HOME',
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
] as const;

const DEFAULT_PATH = '/usr/bin:/bin';
/** Half of what a string can hold. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** As of an activity's git without a work tree. */
const LIMIT_MS = 3 * 60_000;
/** Git only reads here, so that nothing has to be put right at its end. */
const ENDED_BY = { killSignal: 'SIGKILL' } as const;

/** Answers standard output as it is. A person who stops the command ends git too, but where the command itself goes on after the stop (`ownsStop`): there git ends by its limits. */
export function runGit(
  args: readonly string[],
  { cwd, gitDir, maxBytes = MAX_OUTPUT_BYTES, limitMs = LIMIT_MS, encoding = 'utf8', env: more }: GitCall,
): Promise<GitAnswer> {
  const path = programPath(process.env['PATH'] ?? DEFAULT_PATH);
  const git = resolveProgram('git', { path, forbidden: [] });
  if (git.kind !== 'found') return Promise.resolve({ kind: 'no_git' });
  const env = {
    ...GIT_ENVIRONMENT,
    GIT_ALLOC_LIMIT,
    ...(gitDir === undefined ? personsConfig() : KNOWN_REPOSITORY),
    ...more,
    PATH: path,
  };
  const whole = ['--no-pager', ...GIT_RUNS_NOTHING, ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]), ...args];
  const signal = endingSignal();
  const options = {
    cwd,
    env,
    maxBuffer: maxBytes,
    encoding,
    timeout: limitMs,
    ...ENDED_BY,
    ...(signal === undefined ? {} : { signal }),
  } as const;
  return new Promise((resolve) => {
    const child = execFile(git.path, whole, options, (error, stdout) => {
      if (error === null) resolve({ kind: 'ok', stdout });
      // Node answers ENOENT for a missing folder as for a missing program.
      else if ((error.code === 'ENOENT' || error.code === 'ENOTDIR') && !existsSync(cwd)) resolve({ kind: 'missing' });
      else if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') resolve({ kind: 'limit', of: 'output' });
      else if (error.killed === true) resolve({ kind: 'limit', of: 'time' });
      else resolve({ kind: 'failed', stdout });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}

function personsConfig(): Record<string, string> {
  const known: Record<string, string> = {};
  for (const name of PERSONS_CONFIG) {
    const value = process.env[name];
    if (value !== undefined) known[name] = value;
  }
  return known;
}

/** What a shell that stands in another repository may have set. */
const ANOTHER_REPOSITORY = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX'] as const;

/** Unit: bytes of what it says. */
const MAX_SAID_BYTES = 1024 * 1024;

/**
 * The person's own git in their own checkout, with their environment, config and hooks, as if they had typed it. It has no limit of time: a checkout may
 * be large, and to end it would leave half of it. Errors: none.
 */
export function runPersonsGit(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly isDone: boolean; readonly said: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ANOTHER_REPOSITORY.some((other) => other === name)),
  );
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: MAX_SAID_BYTES, encoding: 'utf8' } as const;
    execFile('git', ['--no-pager', ...args], options, (error, stdout, stderr) =>
      resolve({ isDone: error === null, said: (stderr || stdout || (error?.message ?? '')).trim() }),
    );
  });
}

/**
 * Starts git, always with explicit directories and an environment of our own: nothing of the worker's `GIT_*` and nothing of the
 * person's global or system config reaches it, no prompt, no editor, no network protocol.
 * Which git is git-program.ts' business.
 * It does not decide whose config is read: callers name the private git dir (a snapshot) or the real one (see `ON_REAL_REPOSITORY`).
 */
import { existsSync } from 'node:fs';
import { cutMiddle } from '../../../config/system/cut-middle.js';
import { endingSignal } from '../../../config/system/ending-signal.js';
import { entryFile } from '../../../config/system/entries.js';
import { messageOf } from '../../../config/system/error-code.js';
import { GIT_ENVIRONMENT, GIT_RUNS_NOTHING } from '../../../config/system/git-safety.js';
import { type Failpoint, GIT_COMMANDS, noFailpoint } from '../../../protocol/failpoints.js';
import { createGitRunner } from '../runner/git-runner.js';
import { type GitResult, type GitStart, startGit } from '../runner/start-git.js';
import { findGitProgram } from './git-program.js';

export interface GitCall {
  /** `--git-dir`; absent only for discovery of a repository. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly cwd?: string;
  /** Whose config git reads: nobody's but the git dir's (default), or the person's too, for reading repository and config themselves. */
  readonly config?: 'gitDir' | 'person';
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** That of start-git.ts. */
  readonly encoding?: 'latin1';
  /** For what names objects that an agent or a repository made; default: those of start-git.ts, or 3 minutes without a work tree. */
  readonly limits?: GitLimits;
}

export type GitLimits = Pick<GitStart, 'limitMs' | 'maxBytes'>;

/** Of each output of a git that failed: an error travels in histories and logs. */
const MAX_ERROR_OUTPUT_BYTES = 2 * 1024;

const MAX_ERROR_ARGS_BYTES = 300;

/** Of a git that reads and writes no work tree. A FIFO among what the repository's config includes, or among its refs, holds it for ever. */
const WITHOUT_FILES_LIMIT_MS = 3 * 60_000;

/** Git ended with an exit code that the caller has no meaning for. Shape: the outputs in it are cut in the middle. */
export class GitError extends Error {
  readonly result: GitResult;

  constructor(
    readonly args: readonly string[],
    { exitCode, stdout, stderr }: GitResult,
  ) {
    const cut = cutMiddle(stderr.trim(), MAX_ERROR_OUTPUT_BYTES);
    super(`git ${cutMiddle(args.join(' '), MAX_ERROR_ARGS_BYTES)} ended with exit code ${exitCode}: ${cut}`);
    this.name = 'GitError';
    this.result = { exitCode, stdout: cutMiddle(stdout, MAX_ERROR_OUTPUT_BYTES), stderr: cut };
  }
}

/** Switches for the few commands that run on the real repository, whose live config an agent can write. */
export const ON_REAL_REPOSITORY: readonly string[] = [
  ...GIT_RUNS_NOTHING,
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'branch.autoSetupMerge=false',
  '-c',
  'worktree.useRelativePaths=false',
];

/** Everything that git gets. */
const BASE_ENV: Readonly<Record<string, string>> = {
  ...GIT_ENVIRONMENT,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_PAGER: 'cat',
};

const RUNNER_MAIN = entryFile('git-runner');

/** Null where the sources run uncompiled, in tests: a small process starts git as fast itself. */
const runner = existsSync(RUNNER_MAIN) ? createGitRunner({ main: RUNNER_MAIN }) : null;

let failpoint: Failpoint = noFailpoint;

/** Set once by the composition root: git is started from everywhere, so its failpoints are the process' own. */
export function setGitFailpoint(ofProcess: Failpoint): void {
  failpoint = ofProcess;
}

/**
 * Runs git and answers whatever its exit code is.
 * Errors: a git that cannot be started, or one ended by a signal, throws; the reason of the signal of the work it is for (ending-signal.ts).
 */
export async function tryGit(args: readonly string[], call: GitCall): Promise<GitResult> {
  const directories = [
    ...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
    ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
  ];
  const signal = endingSignal();
  signal?.throwIfAborted();
  const { program, path } = findGitProgram();
  const start: GitStart = {
    program,
    args: [...directories, ...args],
    env: { ...(call.config === 'person' ? personEnv() : BASE_ENV), PATH: path, ...call.env },
    ...(call.cwd === undefined ? {} : { cwd: call.cwd }),
    ...(call.input === undefined ? {} : { input: call.input }),
    ...(call.encoding === undefined ? {} : { encoding: call.encoding }),
    ...(call.workTree === undefined ? { limitMs: WITHOUT_FILES_LIMIT_MS } : {}),
    ...call.limits,
  };
  const command = commandOf(args);
  try {
    if (command !== undefined) failpoint(`git.before-${command}`);
    const result = await (runner === null ? startGit(start, signal) : runner.run(start, signal));
    if (command !== undefined) failpoint(`git.after-${command}`);
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`git ${args[0] ?? ''} could not be run: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Runs git and answers its standard output.
 * Errors: `GitError` for any exit code but 0.
 */
export async function runGit(args: readonly string[], call: GitCall): Promise<string> {
  const result = await tryGit(args, call);
  if (result.exitCode !== 0) throw new GitError(args, result);
  return result.stdout;
}

/** The records of `-z` output. */
export function splitNul(text: string): string[] {
  const records = text.split('\0');
  if (records.at(-1) === '') records.pop();
  return records;
}

/** Options of git itself come first, each that takes a value (`-c`, `-C`) in a word of its own. */
function commandOf(args: readonly string[]): (typeof GIT_COMMANDS)[number] | undefined {
  return GIT_COMMANDS.find(
    (command) => command === args.find((arg, index) => !arg.startsWith('-') && !/^-[cC]$/.test(args[index - 1] ?? '')),
  );
}

function personEnv(): Record<string, string> {
  const { GIT_CONFIG_NOSYSTEM: _system, GIT_CONFIG_GLOBAL: _global, ...env } = BASE_ENV;
  const known: Record<string, string> = { ...env };
  for (const name of ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']) {
    const value = process.env[name];
    if (value !== undefined) known[name] = value;
  }
  return known;
}

/**
 * Starts one git and waits for its end, with exactly the environment it is given. A git that never ends (a FIFO in the place of a file holds it
 * for ever) or never stops printing is ended, and answers like any git that fails: it lies in what git was given, so asking again changes nothing.
 * Loaded by the git runner, so it needs nothing but Node: the smaller that process, the faster it starts a program.
 */
import { execFile } from 'node:child_process';

export interface GitStart {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Default: `LIMIT_MS`. */
  readonly limitMs?: number;
  /** Unit: bytes of each output. Default: `MAX_OUTPUT_BYTES`. */
  readonly maxBytes?: number;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended at a limit. Unsaid: it ended by itself. */
  readonly limit?: 'output' | 'time';
}

/** Half of what a string can hold: joining a longer one would throw outside of any call, and take every call of the runner along. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * What git takes in one piece, for an object of a few kilobytes can stand for gigabytes of zeros: it gives up at more (git's own wrapper.c). Files above
 * half of it are streamed anyway (`core.bigFileThreshold`).
 */
const GIT_ALLOC_LIMIT = '1g';

/** Far above a checkout of a large repository on a slow disk. */
const LIMIT_MS = 15 * 60_000;

/** Git's own for what is fatal. */
const FATAL_EXIT = 128;

const MAX_MESSAGE_CHARS = 2000;

/** Errors: a git that cannot be started, or is ended by a signal of somebody else's. */
export function startGit({ program, args, cwd, env, input, ...given }: GitStart): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const { limitMs = LIMIT_MS, maxBytes = MAX_OUTPUT_BYTES } = given;
    // SIGTERM at the limit, so that git removes the lock files it holds.
    const limits = { maxBuffer: maxBytes, timeout: limitMs };
    const options = { env: { ...env, GIT_ALLOC_LIMIT }, encoding: 'utf8', ...limits, ...(cwd === undefined ? {} : { cwd }) } as const;
    const began = performance.now();
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr });
      else if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') resolve(ended('output', `printed more than ${maxBytes} bytes`));
      else if (error.killed === true && performance.now() - began >= limitMs) resolve(ended('time', `did not end within ${limitMs} ms`));
      // Node puts all of stderr into the message, and both outputs beside it.
      else reject(new Error(error.message.slice(0, MAX_MESSAGE_CHARS)));
    });
    // A git that ends before it has read its input closes the pipe; its exit code says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

function ended(limit: 'output' | 'time', why: string): GitResult {
  return { exitCode: FATAL_EXIT, stdout: '', stderr: `fatal: git ${why} and was ended\n`, limit };
}

/**
 * Starts one git and waits for its end, with exactly the environment it is given. A git that never ends (a FIFO in the place of a file holds it
 * for ever) or never stops printing is ended, and answers like any git that fails: it lies in what git was given, so asking again changes nothing.
 * Loaded by the git runner, so it needs nothing but Node: the smaller that process, the faster it starts a program.
 */
import { type ChildProcess, execFile } from 'node:child_process';

export interface GitStart {
  /** Absolute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** `latin1`: a character for each byte of input and outputs, for names and contents that may be no UTF-8. Default: utf8. */
  readonly encoding?: 'latin1';
  /** Default: `LIMIT_MS`. */
  readonly limitMs?: number;
  /** Unit: bytes of each output. Default: `MAX_OUTPUT_BYTES`. */
  readonly maxBytes?: number;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended at a limit. Missing where it ended by itself. */
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

/** After SIGTERM, at which git removes the lock files it holds. An abort has ended everything within a second. */
const KILL_GRACE_MS = 700;

/** Git's own for what is fatal. */
const FATAL_EXIT = 128;

const MAX_MESSAGE_CHARS = 2000;

/** `signal` ends it. Errors: a git that cannot be started, or is ended by a signal of somebody else's or by this one; it is gone then. */
export function startGit(
  { program, args, cwd, env, input, ...given }: GitStart,
  signal?: AbortSignal,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const { limitMs = LIMIT_MS, maxBytes = MAX_OUTPUT_BYTES } = given;
    const place = cwd === undefined ? {} : { cwd };
    const encoding = given.encoding ?? 'utf8';
    const options = { env: { ...env, GIT_ALLOC_LIMIT }, encoding, maxBuffer: maxBytes, ...place } as const;
    let isLate = false;
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      stop();
      if (error === null) resolve({ exitCode: 0, stdout, stderr });
      // Before its code: a git that is ended may still say one.
      else if (signal?.aborted === true) reject(new Error('git was ended'));
      else if (isLate) resolve(ended('time', `did not end within ${limitMs} ms`));
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr });
      else if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
        resolve(ended('output', `printed more than ${maxBytes} bytes`));
      // Node puts all of stderr into the message, and both outputs beside it.
      else reject(new Error(error.message.slice(0, MAX_MESSAGE_CHARS)));
    });
    const stop = endAt(child, { signal, limitMs, late: () => (isLate = true) });
    // A git that ends before it has read its input closes the pipe; its exit code says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '', encoding);
  });
}

interface Ending {
  readonly signal: AbortSignal | undefined;
  readonly limitMs: number;
  readonly late: () => void;
}

/** Answers what stops the watch. */
function endAt(child: ChildProcess, { signal, limitMs, late }: Ending): () => void {
  const timers: NodeJS.Timeout[] = [];
  const end = () => {
    child.kill();
    // What git has started may hold them open for longer than git lives.
    child.stdout?.destroy();
    child.stderr?.destroy();
    timers.push(setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS));
  };
  const limit = () => {
    late();
    end();
  };
  timers.push(setTimeout(limit, limitMs));
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  return () => {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  };
}

function ended(limit: 'output' | 'time', why: string): GitResult {
  return { exitCode: FATAL_EXIT, stdout: '', stderr: `fatal: git ${why} and was ended\n`, limit };
}

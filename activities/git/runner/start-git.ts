/**
 * Starts one git and waits for its end, with exactly the environment it is given.
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
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_OUTPUT_BYTES = 1024 * 1024 * 1024;

const MAX_MESSAGE_CHARS = 2000;

/** Errors: a git that cannot be started, is ended by a signal, or prints more than MAX_OUTPUT_BYTES. */
export function startGit({ program, args, cwd, env, input }: GitStart): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...env }, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8', ...(cwd === undefined ? {} : { cwd }) } as const;
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr });
      // Node puts all of stderr into the message, and both outputs beside it.
      else reject(new Error(error.message.slice(0, MAX_MESSAGE_CHARS)));
    });
    // A git that ends before it has read its input closes the pipe; its exit code says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

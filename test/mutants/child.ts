/** Runs a program to its end, in a process group of its own that ends with it. */
import { spawn } from 'node:child_process';

export interface ChildOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** **Unit** ms. */
  readonly limitMs: number;
  readonly stop: AbortSignal;
}

/** The end of what it printed; the rest is of no use. */
const KEPT_CHARS = 4000;

export interface ChildEnd {
  /** 1 for a program that was ended. */
  readonly code: number;
  readonly output: string;
  readonly isOutOfTime: boolean;
}

export function run(program: string, args: readonly string[], options: ChildOptions): Promise<ChildEnd> {
  const { cwd, env, limitMs, stop } = options;
  return new Promise((resolve, reject) => {
    stop.throwIfAborted();
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-KEPT_CHARS);
    };
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nobody is left in the group.
      }
    };
    let isOutOfTime = false;
    const limit = setTimeout(() => {
      isOutOfTime = true;
      kill();
    }, limitMs);
    stop.addEventListener('abort', kill, { once: true });
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(limit);
      stop.removeEventListener('abort', kill);
      kill();
      resolve({ code: code ?? 1, output, isOutOfTime });
    });
  });
}

/**
 * The worker process as the engine starts it. It says on stdout, in one JSON line with `"type":"ready"`, that it polls.
 * Its stdin is a pipe that the engine holds open: the end of it means that the engine is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { UMASK_VARIABLE } from '../../../protocol/names.js';
import { parseRecord } from '../../../protocol/text/json.js';
import { NAMESPACE } from '../state/engine-state.js';
import { appendLine } from './log-file.js';
import { cleanEnvironment } from './server-command.js';

/**
 * A host worker holds no run state, the control worker's cache is bounded by its heap: 512 MB is room for hundreds of runs. For what little garbage there
 * is at once, threads that collect it side by side cost more than they save.
 */
export const WORKER_NODE_FLAGS = ['--max-old-space-size=512', '--single-threaded-gc', '--enable-source-maps'] as const;

/**
 * Bytes from which glibc gives memory back to the system as soon as it is free. By itself it raises this to the size of the largest that was freed, 32 MB at
 * most, and what an index of tasks outgrew stays with the process: 68 MB instead of 40. Other systems do not know it. Source: mallopt(3), M_MMAP_THRESHOLD.
 */
const GIVEN_BACK_FROM = 128 * 1024;

export interface WorkerSettings {
  readonly command: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  readonly address: string;
  readonly log: number;
}

export function spawnWorker(settings: WorkerSettings): ChildProcess {
  const [program, ...args] = settings.command;
  return spawn(program, args, {
    cwd: settings.home,
    stdio: ['pipe', 'pipe', settings.log],
    env: {
      ...cleanEnvironment(settings.environment),
      // As the engine knows it: the umask of whoever asks is not told.
      [UMASK_VARIABLE]: process.env[UMASK_VARIABLE],
      MALLOC_MMAP_THRESHOLD_: String(GIVEN_BACK_FROM),
      SLUICE_HOME: settings.home,
      TEMPORAL_ADDRESS: settings.address,
      TEMPORAL_NAMESPACE: NAMESPACE,
    },
  });
}

/** Resolves at the ready line; every other line of stdout goes to the worker's log. */
export function waitForWorker(child: ChildProcess, log: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    // A worker that is gone closes its stdin's other end.
    child.stdin?.on('error', () => undefined);
    if (child.stdout === null) throw new Error('the worker has no stdout pipe');
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (parseRecord(line)?.['type'] === 'ready') resolve();
      else appendLine(log, line);
    });
  });
}

/**
 * A worker's end of its git runner. Node starts a program by fork, whose time grows with the memory of the process that forks: about 10 ms
 * in a worker, 2 ms in a small process; and the fork holds the worker's only thread. A run starts git some thirty times.
 * It starts on first use and again when it was lost; a call that was lost with it throws, and its activity's next attempt does it again.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { GitAnswered, GitAsked } from './messages.js';
import type { GitResult, GitStart } from './start-git.js';

export interface GitRunnerOptions {
  /** Absolute path of main. */
  readonly main: string;
}

export interface GitRunner {
  /** `signal` ends the git. Errors: a git that could not be run or was ended so, or the runner was lost. */
  run(start: GitStart, signal?: AbortSignal): Promise<GitResult>;
  /** Null before the first call and after a loss. */
  pid(): number | null;
  close(): void;
}

/** Small young generations: the runner holds nothing. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--no-warnings'];

interface Waiting {
  readonly resolve: (result: GitResult) => void;
  readonly reject: (error: Error) => void;
}

export function createGitRunner(options: GitRunnerOptions): GitRunner {
  let current: Connection | null = null;
  return {
    run: (start, signal) => {
      if (current === null || !current.isOpen()) current = connect(options);
      return current.ask(start, signal);
    },
    pid: () => (current?.isOpen() === true ? (current.child.pid ?? null) : null),
    close: () => current?.child.disconnect(),
  };
}

interface Connection {
  readonly child: ChildProcess;
  isOpen(): boolean;
  ask(start: GitStart, signal?: AbortSignal): Promise<GitResult>;
}

function connect({ main }: GitRunnerOptions): Connection {
  // Detached: Ctrl+C in the worker's terminal must not take the runner away from a worker that still shuts down.
  const child = fork(main, [], {
    execArgv: NODE_FLAGS,
    cwd: '/',
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let open = true;
  const lose = (why: string) => {
    open = false;
    child.channel?.unref();
    for (const { reject } of waiting.values())
      reject(new Error(`git could not be run: the git runner was lost (${why})`));
    waiting.clear();
  };
  child.on('error', (error) => lose(error.message));
  child.on('disconnect', () => lose('it ended'));
  // The other end is our own main, which sends nothing else.
  child.on('message', (answered) => {
    settle(waiting, answered as GitAnswered);
    if (waiting.size === 0) child.channel?.unref();
  });
  // Only a call that waits keeps this process from ending.
  child.unref();
  child.channel?.unref();
  return {
    child,
    isOpen: () => open,
    ask: async (start, signal) => {
      const id = nextId++;
      const tell = (asked: GitAsked) => void child.send(asked);
      const end = () => {
        if (waiting.has(id)) tell({ id, end: true });
      };
      signal?.addEventListener('abort', end, { once: true });
      try {
        return await new Promise((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          child.channel?.ref();
          tell({ id, start });
        });
      } finally {
        signal?.removeEventListener('abort', end);
      }
    },
  };
}

function settle(waiting: Map<number, Waiting>, answered: GitAnswered): void {
  const caller = waiting.get(answered.id);
  waiting.delete(answered.id);
  if ('result' in answered) caller?.resolve(answered.result);
  else caller?.reject(new Error(answered.failure));
}

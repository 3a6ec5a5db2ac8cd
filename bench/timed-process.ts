/** Processes that a person would start by hand, timed by a small process that starts them: see `process-starter.mjs`. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const STARTER = fileURLToPath(new URL('./process-starter.mjs', import.meta.url));

interface ByHand {
  readonly cwd: string;
  readonly input?: string;
  /** Beside this process's own. */
  readonly env?: NodeJS.ProcessEnv;
  /** A file that is written anew. */
  readonly stdout?: string;
}

interface Ended {
  readonly ms: number;
  /** Null: a signal ended it. */
  readonly code: number | null;
}

type Answered = { readonly id: number } & (Ended | { readonly failure: string });

interface Starter {
  readonly child: ChildProcess;
  readonly waiting: Map<number, (answered: Ended | Error) => void>;
}

let current: Starter | null = null;
let asked = 0;

/** From the start of a process to its end. Unit: ms. Errors: an exit code but 0. */
export async function timedProcess(
  argv: readonly [string, ...string[]],
  { cwd, input = '', env = {}, stdout }: ByHand,
): Promise<number> {
  const { child, waiting } = starter();
  asked += 1;
  const id = asked;
  const answered = await new Promise<Ended | Error>((resolve) => {
    waiting.set(id, resolve);
    child.channel?.ref();
    child.send({ id, argv, cwd, env: { ...process.env, ...env }, input, stdout });
  });
  if (answered instanceof Error) throw answered;
  const { ms, code } = answered;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code ?? 'a signal'}`);
  return ms;
}

/** Whose children the timed processes are. */
export function starterPid(): number {
  const { pid } = starter().child;
  if (pid === undefined) throw new Error('the process that starts others was not started');
  return pid;
}

/** Unless somebody waits for a process. The next timed process starts another one. */
export function endStarter(): void {
  if (current?.child.connected === true && current.waiting.size === 0) current.child.disconnect();
}

function starter(): Starter {
  if (current === null || !current.child.connected) current = start();
  return current;
}

function start(): Starter {
  // Detached: Ctrl+C must not take it away from a bench that still brings its engine down. No environment: it is no process of any home.
  const child = fork(STARTER, [], {
    execArgv: ['--max-semi-space-size=1'],
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting: Starter['waiting'] = new Map();
  const answer = (id: number, answered: Ended | Error) => {
    waiting.get(id)?.(answered);
    waiting.delete(id);
    if (waiting.size === 0) rest(child);
  };
  // Its program sends nothing else.
  child.on('message', (message) => {
    const { id, ...answered } = message as Answered;
    answer(id, 'failure' in answered ? new Error(answered.failure) : answered);
  });
  const lose = (why: string) => {
    for (const id of waiting.keys()) answer(id, new Error(`the process that starts others was lost${why}`));
  };
  child.on('disconnect', () => lose(''));
  // It could not be started, or heard no more.
  child.on('error', (error) => lose(`: ${error.message}`));
  rest(child);
  return { child, waiting };
}

/** Only a process that is waited for keeps the bench from ending. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

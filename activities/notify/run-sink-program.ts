/**
 * Tells a program of the person: the JSON on standard input, its output to nobody, its exit code as the answer.
 * It runs in the sluice home, never in a repository, with the environment that an agent would get. It is no turn, so no guard keeps it: it has
 * a process group of its own, which ends with it, with the attempt, or by itself shortly after the limit where the worker died. Only that group
 * is ended: a child that begins a session of its own (setsid) outlives it, and nobody looks for it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { codeOf, messageOf } from '../../config/system/error-code.js';
import { orAborted } from '../../config/system/or-aborted.js';
import { describeProblem, resolveProgram } from '../../config/system/resolve-program.js';
import { signalGroup } from '../../config/system/send-signal.js';
import { UMASK_VARIABLE } from '../../protocol/names.js';
import { type Delivery, failed } from './delivery-failure.js';

export interface SinkProgram {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Repositories and worktrees: no program of theirs is started. */
  readonly forbidden: readonly string[];
  readonly limitMs?: number;
}

/** **Unit** ms. */
const LIMIT_MS = 20_000;
const KILL_GRACE_MS = 3_000;

/**
 * The alarm outlives a worker that is killed: it ends the group, of which it is a member, so that the number cannot mean another one.
 * Without `sleep` on PATH there is no alarm. `exec` keeps the program's own exit code.
 */
const WITH_ALARM = `umask "\${${UMASK_VARIABLE}:-077}"; (sleep "$1" && kill -KILL -$$) </dev/null >/dev/null 2>&1 & shift; exec "$@"`;

/** Resolves when the group is gone. After `stop` the answer means nothing. */
export async function runSinkProgram(sink: SinkProgram, input: string, stop: AbortSignal): Promise<Delivery> {
  const { command, env, cwd, forbidden, limitMs = LIMIT_MS } = sink;
  const [name, ...args] = command;
  const program = resolveProgram(name, { path: env['PATH'] ?? '', forbidden });
  if (program.kind !== 'found') return failed(`it cannot be run: ${describeProblem(program)}`, { later: false });
  const alarmSeconds = String(Math.ceil((limitMs + 2 * KILL_GRACE_MS) / 1000));
  const child = spawn('/bin/sh', ['-c', WITH_ALARM, 'sluice-notify', alarmSeconds, program.path, ...args], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(child, 'exit').then(
    ([code, signal]) => answerOf(code, signal),
    (error: unknown) => failed(`it could not be started: ${codeOf(error) ?? messageOf(error)}`, { later: true }),
  );
  // A program that does not read its input closes the pipe.
  child.stdin?.on('error', () => {}).end(input);
  const limit = AbortSignal.timeout(limitMs);
  const ended = endOnAbort(child, AbortSignal.any([stop, limit]), exited);
  const answer = await exited;
  await ended;
  signalGroup(child, 'SIGKILL');
  return limit.aborted ? failed(`it took longer than ${limitMs / 1000} s and was ended`, { later: true }) : answer;
}

/** TERM to the whole group, and KILL where that was not enough. */
async function endOnAbort(child: ChildProcess, stop: AbortSignal, exited: Promise<unknown>): Promise<void> {
  if ((await orAborted(exited, stop, () => 'stop')) !== 'stop') return;
  signalGroup(child, 'SIGTERM');
  const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_GRACE_MS);
  await exited;
  clearTimeout(kill);
}

function answerOf(code: unknown, signal: unknown): Delivery {
  if (code === 0) return { kind: 'delivered' };
  return failed(typeof code === 'number' ? `it ended with exit code ${code}` : `it was ended by ${String(signal)}`, {
    later: true,
  });
}

/**
 * Runs commands under the guard and attaches to those that run: the questions 2 to 4 of docs/design.md "Marks".
 * Whoever asks again, in this process or after its death, gets the one end of the one start; only an end nobody knows, `interrupted`, or somebody else's `aborted` is started again.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orAborted } from '../../config/system/or-aborted.js';
import {
  type CommandEnd,
  type CommandSpec,
  DetachedError,
  GuardUnavailable,
  type Processes,
  StartRefused,
} from './contract.js';
import { ConnectionLost, type GuardConnection } from './guard-connection.js';
import { createGuardPool, type GuardPool } from './guard-pool.js';
import { readExit, STALE_FOLDER } from './marks.js';
import type { GuardStart } from './start-guard.js';
import { baseOf, type Reply, type Request } from './wire.js';

/** A guard that dies so often within one run dies of that run. */
const MAX_LOST_GUARDS = 10;

const ASK_AGAIN_MS = 50;

/** Starts the home's guard if there is none. Errors: GuardUnavailable. */
export async function connectProcesses(options: GuardStart): Promise<Processes> {
  const pool = createGuardPool({ ...options, home: resolve(options.home) });
  await pool.all();
  const closing = new AbortController();

  const everywhere = async (request: Request): Promise<readonly Reply[]> => {
    for (let lost = 0; ; lost += 1) {
      try {
        return await Promise.all((await pool.all()).map((guard) => guard.request(request)));
      } catch (error) {
        throwUnlessLost(error, lost);
      }
    }
  };

  return {
    run: (spec, { prepare, cancel, detach }) =>
      untilEnded({ pool, spec, prepare, cancel, leave: AbortSignal.any([detach, closing.signal]) }),
    endGroup: async (group, reason) => {
      for (const reply of await everywhere({ op: 'stop', group, exceptBase: null, reason })) throwIfFailed(reply);
    },
    live: async () =>
      (await everywhere({ op: 'live' })).flatMap((reply) => (reply.kind === 'live' ? reply.commands : [])),
    close: async () => {
      closing.abort();
      pool.close();
    },
  };
}

interface Attempt {
  readonly pool: GuardPool;
  readonly spec: CommandSpec;
  readonly prepare: () => Promise<void>;
  readonly cancel: AbortSignal;
  readonly leave: AbortSignal;
  /** When a former wait was aborted; null: it was not. */
  readonly abortedAt: string | null;
}

async function untilEnded(asked: Omit<Attempt, 'abortedAt'>): Promise<CommandEnd> {
  const attempt: Attempt = { ...asked, abortedAt: formerAbort(asked) };
  for (let lost = 0; ; ) {
    try {
      const end = await orAborted(once(attempt), attempt.leave, goneAway);
      if (end !== null) return end;
      await sleep(ASK_AGAIN_MS);
    } catch (error) {
      if (attempt.leave.aborted) throw new DetachedError(`${attempt.spec.token} goes on without this worker`);
      throwUnlessLost(error, lost);
      lost += 1;
    }
  }
}

/**
 * An abort from before this wait was somebody else's, and the server asks anew, however often a guard is lost before the command starts. An abort that
 * comes during it may mean that this attempt is the old one (a newer place of the run ends it before the server says so): that is answered, never started over.
 */
function formerAbort({ spec, cancel }: Pick<Attempt, 'spec' | 'cancel'>): string | null {
  const exit = cancel.aborted ? undefined : knownEnd(spec)?.exit;
  return exit?.reason === 'aborted' ? exit.endedAt : null;
}

/** Null: look again. */
async function once(attempt: Attempt): Promise<CommandEnd | null> {
  const { spec, pool } = attempt;
  const known = knownEnd(spec);
  const again = known !== null && known.exit.endedAt === attempt.abortedAt;
  if (known !== null && !again) return known;
  const [current, ...retired] = await pool.all();
  if (current === undefined) return null;
  for (const guard of retired) {
    const end = guard.expectEnd(spec.token);
    const reply = await guard.request({ op: 'ask', token: spec.token });
    if (reply.kind === 'running') return untilTold(attempt, guard, end.ended);
    end.forget();
    throwIfFailed(await guard.request({ op: 'stop', group: spec.group, exceptBase: baseOf(spec.token) }));
  }
  const end = current.expectEnd(spec.token);
  try {
    const reply = await current.request({ op: 'start', spec, again });
    if (reply.kind === 'running') return await untilTold(attempt, current, end.ended);
    if (reply.kind !== 'reserved') return endOf(reply, current);
    const gone = await prepareAndGo(attempt, current);
    return gone.kind === 'running' ? await untilTold(attempt, current, end.ended) : endOf(gone, current);
  } finally {
    end.forget();
  }
}

/** A reservation that is not used falls: at once here, with the connection if this process dies. */
async function prepareAndGo(attempt: Attempt, guard: GuardConnection): Promise<Reply> {
  const { token } = attempt.spec;
  try {
    await attempt.prepare();
  } catch (error) {
    await guard.request({ op: 'drop', token });
    throw error;
  }
  if (attempt.leave.aborted) return guard.request({ op: 'drop', token });
  // Ending a reservation writes the record of a command that was never started.
  return guard.request(attempt.cancel.aborted ? { op: 'stop', token } : { op: 'go', token });
}

async function untilTold(
  attempt: Attempt,
  guard: GuardConnection,
  ended: Promise<unknown>,
): Promise<CommandEnd | null> {
  const { token } = attempt.spec;
  const stop = () => {
    guard.request({ op: 'stop', token }).catch(() => {});
  };
  attempt.cancel.addEventListener('abort', stop, { once: true });
  if (attempt.cancel.aborted) stop();
  try {
    await ended;
  } finally {
    attempt.cancel.removeEventListener('abort', stop);
  }
  return knownEnd(attempt.spec);
}

function endOf(reply: Reply, guard: GuardConnection): CommandEnd | null {
  throwIfFailed(reply);
  switch (reply.kind) {
    case 'ended':
      return { kind: 'ended', exit: reply.exit, movedAside: reply.movedAside };
    case 'crash_loop':
      return { kind: 'crash_loop', starts: reply.starts, movedAside: reply.movedAside };
    case 'refused':
      throw new StartRefused(reply.code, reply.message);
    case 'retired':
      // A newer worker asked it to; the next look finds its successor.
      guard.close();
      return null;
    default:
      return null;
  }
}

function throwIfFailed(reply: Reply): void {
  if (reply.kind !== 'failed') return;
  throw new GuardUnavailable(
    `The guard could not answer: ${reply.message}.\nNothing was started.\nLook at its log with: sluice doctor`,
  );
}

function knownEnd(spec: CommandSpec): Extract<CommandEnd, { kind: 'ended' }> | null {
  const exit = readExit(spec.dir);
  if (
    exit === null ||
    exit.reason === 'interrupted' ||
    exit.token !== spec.token ||
    exit.inputHash !== spec.inputHash
  ) {
    return null;
  }
  return { kind: 'ended', exit, movedAside: existsSync(join(spec.dir, STALE_FOLDER)) };
}

function goneAway(): never {
  throw new DetachedError('the caller went away');
}

function throwUnlessLost(error: unknown, lost: number): void {
  if (!(error instanceof ConnectionLost)) throw error;
  if (lost >= MAX_LOST_GUARDS) {
    throw new GuardUnavailable(`The guard died ${lost} times in a row.\nLook at its log with: sluice doctor`, {
      cause: error,
    });
  }
}

/** What a worker makes of guards that are lost, that fail and that are asked by many at once; the guards are fake ones. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CommandSpec,
  DetachedError,
  type ExitRecord,
  GuardUnavailable,
  type Processes,
} from '../../../activities/process/contract.js';
import { createGuardPool } from '../../../activities/process/guard-pool.js';
import { writeExit } from '../../../activities/process/marks.js';
import { connectProcesses } from '../../../activities/process/processes.js';
import type { Reply, Request } from '../../../activities/process/wire.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { aFakeGuard, closeFakeGuards, HELLO } from './fake-guard.js';
import { hooks } from './guarded-home.js';

const freshFolder = tempFolders();
closeFakeGuards();

let home: string;
beforeEach(() => {
  home = freshFolder();
});

const connect = (): Promise<Processes> => connectProcesses({ home, orphanGraceMs: 60_000, durability: 'process' });

/** Says hello; the rest as `answer` says, and how often it was asked that. */
function saying(answer: (request: Request, time: number) => Reply | null) {
  const times = new Map<string, number>();
  return (request: Request) => {
    const time = (times.get(request.op) ?? 0) + 1;
    times.set(request.op, time);
    return request.op === 'hello' ? HELLO : answer(request, time);
  };
}

function aPlace(): CommandSpec {
  const token = randomUUID();
  const dir = join(home, token);
  mkdirSync(dir);
  return {
    token,
    group: 'repo/run',
    inputHash: 'hash',
    argv: ['/bin/true'],
    cwd: home,
    env: {},
    stdin: null,
    dir,
    limits: { timeoutMs: 60_000, stallMs: null, killGraceMs: 200, outputBytes: 1_000_000 },
  };
}

function anExit({ token, inputHash }: CommandSpec, of: Pick<ExitRecord, 'reason' | 'exitCode'>): ExitRecord {
  const at = '2026-01-01T00:00:00.000Z';
  const output = { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 };
  return {
    token,
    inputHash,
    signal: null,
    startedAt: at,
    endedAt: at,
    claimedAt: at,
    ranMs: 0,
    diskFull: false,
    ...output,
    ...of,
  };
}

describe('a retired guard', () => {
  it('is connected to once by all who ask at once', async () => {
    await aFakeGuard(join(home, 'guard.sock'), () => HELLO);
    const retired = await aFakeGuard(join(home, 'guard.4242.sock'), () => HELLO);
    const pool = createGuardPool({ home, orphanGraceMs: 60_000, durability: 'process' });

    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => pool.all()));

    expect(answers.map((guards) => guards.length)).toEqual([2, 2, 2, 2, 2]);
    expect(retired.connected()).toBe(1);
    pool.close();
    await until(() => retired.connections() === 0);
  });

  it('is let go by a pool that was closed while it was connected to', async () => {
    const main = await aFakeGuard(join(home, 'guard.sock'), () => HELLO);
    let answer = (_reply: Reply) => undefined as void;
    const retired = await aFakeGuard(
      join(home, 'guard.4242.sock'),
      () => new Promise((resolve) => void (answer = resolve)),
    );
    const pool = createGuardPool({ home, orphanGraceMs: 60_000, durability: 'process' });
    const guards = expect(pool.all()).rejects.toBeInstanceOf(DetachedError);
    await until(() => retired.asked.length > 0);

    pool.close();
    answer(HELLO);

    await guards;
    await until(() => retired.connections() + main.connections() === 0);
    await expect(pool.current()).rejects.toBeInstanceOf(DetachedError);
    await until(() => main.connections() === 0);
  });
});

describe('a guard that is lost', () => {
  it('while it is asked what lives is asked again', async () => {
    const alive = { token: randomUUID(), group: 'repo/run' };
    await aFakeGuard(
      join(home, 'guard.sock'),
      saying((_request, time) => (time === 1 ? null : { kind: 'live', commands: [alive] })),
    );
    const processes = await connect();

    expect(await processes.live()).toEqual([alive]);
    await processes.close();
  });

  it('before it was heard that a former abort is no answer is told so again', async () => {
    const command = aPlace();
    writeExit(command.dir, anExit(command, { reason: 'aborted', exitCode: null }), 'process');
    const exit = anExit(command, { reason: 'exited', exitCode: 4 });
    const guard = await aFakeGuard(
      join(home, 'guard.sock'),
      saying((_request, time) => (time <= 2 ? null : { kind: 'ended', exit, movedAside: false })),
    );
    const processes = await connect();

    const end = await processes.run(command, hooks());

    expect(end).toEqual({ kind: 'ended', exit, movedAside: false });
    expect(guard.asked.filter(({ op }) => op === 'start')).toMatchObject([
      { again: true },
      { again: true },
      { again: true },
    ]);
    await processes.close();
  });

  it('between the reservation and the start has the former abort started over by the next one', async () => {
    const command = aPlace();
    writeExit(command.dir, anExit(command, { reason: 'aborted', exitCode: null }), 'process');
    const exit = anExit(command, { reason: 'exited', exitCode: 4 });
    await aFakeGuard(
      join(home, 'guard.sock'),
      saying(({ op }, time) => {
        if (op === 'start' && time === 1) return { kind: 'reserved', movedAside: false };
        return op === 'start' ? { kind: 'ended', exit, movedAside: false } : null;
      }),
    );
    const processes = await connect();

    expect(await processes.run(command, hooks())).toMatchObject({ exit: { reason: 'exited', exitCode: 4 } });
    await processes.close();
  });
});

describe('a guard that cannot end a command', () => {
  const failed = { kind: 'failed', message: 'EACCES: permission denied' } as const;

  it('is no success for whoever ends the group', async () => {
    await aFakeGuard(
      join(home, 'guard.sock'),
      saying(() => failed),
    );
    const processes = await connect();

    const ended = processes.endGroup('repo/run', 'aborted');

    await expect(ended).rejects.toBeInstanceOf(GuardUnavailable);
    await expect(ended).rejects.toThrow(/could not answer: EACCES/);
    await processes.close();
  });

  it('is no leave to start another place of the run, where it is a retired one', async () => {
    const main = await aFakeGuard(join(home, 'guard.sock'), () => HELLO);
    await aFakeGuard(
      join(home, 'guard.4242.sock'),
      saying(({ op }) => (op === 'ask' ? { kind: 'unknown' } : failed)),
    );
    const processes = await connect();

    await expect(processes.run(aPlace(), hooks())).rejects.toBeInstanceOf(GuardUnavailable);
    expect(main.asked.filter(({ op }) => op === 'start')).toEqual([]);
    await processes.close();
  });
});

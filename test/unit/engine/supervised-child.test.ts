/** What the engine does about a child that dies again and again, with real processes that end at once. */
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { NotStarted, SupervisedChild } from '../../../worker/local-engine/children/supervised-child.js';
import { until } from '../../support/until.js';

let child: SupervisedChild | null = null;
afterEach(async () => {
  jest.restoreAllMocks();
  await child?.stop(0);
});

const PLAN = {
  name: 'the child',
  log: '/dev/null',
  readyLimitMs: 10_000,
  onIdentity: () => undefined,
  onRestart: () => undefined,
  onGivenUp: () => undefined,
};

interface Dying {
  /** Dies at once so many times, then lives. */
  readonly deaths: number;
  /** Asked about a death by its number. */
  readonly isExcused?: (death: number) => boolean;
  /** Whether the machine refuses that start, by its number. */
  readonly isRefused?: (start: number) => boolean;
}

function dyingOf({ deaths, isExcused = () => false, isRefused = () => false }: Dying) {
  const seen = { starts: 0, givenUp: '' };
  child = new SupervisedChild({
    ...PLAN,
    spawn: () => {
      seen.starts += 1;
      if (isRefused(seen.starts)) throw new Error('spawn ENOMEM');
      return spawn('/bin/sh', ['-c', seen.starts <= deaths ? 'exit 1' : 'exec sleep 60'], { stdio: 'ignore' });
    },
    ready: async () => undefined,
    isExcused: () => isExcused(seen.starts),
    onGivenUp: (how) => {
      seen.givenUp = how;
    },
  });
  return { seen, child };
}

describe('a child that dies again and again', () => {
  it('is given up on after six deaths within a minute', async () => {
    const { seen, child: dying } = dyingOf({ deaths: 20 });

    await dying.start().catch(() => undefined);
    await until(() => seen.givenUp !== '');

    expect(seen.givenUp).toContain('for the 6th time within a minute');
    expect(seen.starts).toBe(6);
  }, 300_000);

  it('is started again for as long as what it needs is away, and none of that counts later', async () => {
    const { seen, child: dying } = dyingOf({ deaths: 8, isExcused: (death) => death < 8 });

    await dying.start().catch(() => undefined);
    await until(() => seen.starts === 9);

    expect(seen.givenUp).toBe('');
    expect(dying.isReady).toBe(true);
  }, 300_000);

  it.each([
    ['once more where the machine refuses a start: it lives', 3, ''],
    [
      'until it is given up on where the machine refuses every start',
      Infinity,
      'could not be started: spawn ENOMEM, for the 6th time',
    ],
  ])(
    'is started %s',
    async (_, lives, givenUp) => {
      const { seen, child: dying } = dyingOf({ deaths: 1, isRefused: (start) => start > 1 && start < lives });

      await dying.start().catch(() => undefined);
      await until(() => (seen.starts === lives && dying.isReady) || seen.givenUp !== '');

      expect(dying.isReady).toBe(givenUp === '');
      expect(seen.givenUp).toContain(givenUp);
    },
    300_000,
  );
});

describe('a child that hangs at each start', () => {
  it('is given up on after six of them, however seldom its time limit lets it die', async () => {
    let starts = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => starts * 20_000);
    const givenUp = new Promise<string>((resolve) => {
      child = new SupervisedChild({
        ...PLAN,
        readyLimitMs: 20,
        spawn: () => {
          starts += 1;
          return spawn('/bin/sh', ['-c', starts === 1 ? 'sleep 0.1' : 'exec sleep 60'], { stdio: 'ignore' });
        },
        ready: (_, signal) =>
          new Promise((ready, hang) => {
            if (starts === 1) ready();
            signal.addEventListener('abort', () => hang(signal.reason));
          }),
        onGivenUp: resolve,
      });
    });

    await child?.start();

    expect(await givenUp).toBe('the child was ended by SIGKILL, for the 6th time in a row before it was ready');
    expect(starts).toBe(7);
  }, 300_000);
});

describe('a child that is told to end while it starts', () => {
  it('is not started again where it says that it works before it ends', async () => {
    const seen = { starts: 0 };
    const shell = "trap 'sleep 0.3; exit 0' TERM; echo trapped; while :; do sleep 0.05; done";
    let sayReady = (): void => undefined;
    let sayTrapped = (): void => undefined;
    const trapped = new Promise<void>((resolve) => {
      sayTrapped = resolve;
    });
    const starting = new SupervisedChild({
      ...PLAN,
      spawn: () => {
        seen.starts += 1;
        const process = spawn('/bin/sh', ['-c', shell], { stdio: ['ignore', 'pipe', 'ignore'] });
        process.stdout.once('data', sayTrapped);
        return process;
      },
      ready: () =>
        new Promise((resolve) => {
          sayReady = resolve;
        }),
    });
    child = starting;
    const start = starting.start().catch((error: unknown) => error);
    await trapped;

    const stop = starting.stop(10_000);
    sayReady();

    expect(await start).toBeInstanceOf(NotStarted);
    await stop;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([seen.starts, starting.pid]).toEqual([1, null]);
  }, 300_000);
});

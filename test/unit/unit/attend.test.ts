import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { CancelReason } from '@temporalio/worker/lib/activity.js';
import { Attempts, type Signals } from '../../../activities/unit/attempts.js';
import { attend } from '../../../activities/unit/attend.js';
import { noFailpoint } from '../../../protocol/failpoints.js';

const TOKEN = '22222222-2222-4222-8222-222222222222';

interface Ending {
  readonly isOpen: () => Promise<boolean>;
  /** Before it is attended. */
  readonly isEarly?: boolean;
}

/** Attends a work that ends when it is cancelled or left; answers which of the two it saw, and how the attempt ended. */
async function endWith(reason: CancelReason, details: Record<string, boolean>, { isOpen, isEarly = false }: Ending) {
  const environment = new MockActivityEnvironment();
  const end = () => environment.cancel(reason, { ...NONE, ...details });
  if (isEarly) end();
  let seen = 'nothing';
  const attempt = environment.run(() =>
    attend({ attempts: new Attempts(), isOpen, failpoint: noFailpoint }, TOKEN, ({ cancel, detach }: Signals) => {
      return new Promise<string>((resolve, reject) => {
        setImmediate(() => (isEarly ? resolve('heard nothing') : end()));
        cancel.addEventListener('abort', () => {
          seen = 'cancel';
          reject(new Error('ended'));
        });
        detach.addEventListener('abort', () => {
          seen = seen === 'nothing' ? 'detach' : seen;
          reject(new Error('left'));
        });
      });
    }),
  );
  const error: unknown = await attempt.catch((err: unknown) => err);
  return { seen, error };
}

const NONE = {
  notFound: false,
  cancelRequested: false,
  paused: false,
  timedOut: false,
  workerShutdown: false,
  reset: false,
};
const open = async () => true;
const closed = async () => false;
const unreachable = async () => {
  throw new Error('no server');
};

describe('an attempt of a host activity', () => {
  afterEach(() => void jest.useRealTimers());

  it.each([
    ['a person asks for the stop', 'CANCELLED', { cancelRequested: true }, open, 'cancel'],
    ['the server no longer knows it and the run is closed', 'NOT_FOUND', { notFound: true }, closed, 'cancel'],
    ['the server no longer knows it and the run is open', 'NOT_FOUND', { notFound: true }, open, 'detach'],
    ['the server no longer knows it and cannot be asked', 'NOT_FOUND', { notFound: true }, unreachable, 'detach'],
    ['the worker shuts down', 'WORKER_SHUTDOWN', { workerShutdown: true }, open, 'detach'],
    ['it timed out', 'TIMED_OUT', { timedOut: true }, open, 'detach'],
    ['it was paused', 'PAUSED', { paused: true }, open, 'detach'],
    ['it was reset', 'RESET', { reset: true }, open, 'detach'],
  ] as const)('when %s: the work sees a %s', async (_name, reason, details, isOpen, expected) => {
    const { seen, error } = await endWith(reason, details, { isOpen });

    expect(seen).toBe(expected);
    expect(error).toBeInstanceOf(CancelledFailure);
  });

  it.each([
    ['a person asks for the stop', 'cancel', 'CANCELLED', { cancelRequested: true }],
    ['the worker shuts down', 'detach', 'WORKER_SHUTDOWN', { workerShutdown: true }],
  ] as const)('when %s before it is attended: the work sees a %s', async (_name, expected, reason, details) => {
    const { seen, error } = await endWith(reason, details, { isOpen: open, isEarly: true });

    expect(seen).toBe(expected);
    expect(error).toBeInstanceOf(CancelledFailure);
  });

  it('heartbeats while the work goes on', async () => {
    const environment = new MockActivityEnvironment();
    const beat = new Promise<void>((resolve) => environment.on('heartbeat', () => resolve()));

    const answer = await environment.run(() =>
      attend({ attempts: new Attempts(), isOpen: open, failpoint: noFailpoint }, TOKEN, async () => {
        await beat;
        return 'done';
      }),
    );

    expect(answer).toBe('done');
  });

  it('heartbeats no longer once it has ended', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const environment = new MockActivityEnvironment();
    let timers = 0;

    await environment.run(() =>
      attend({ attempts: new Attempts(), isOpen: open, failpoint: noFailpoint }, TOKEN, async () => {
        timers = jest.getTimerCount();
      }),
    );

    expect([timers, jest.getTimerCount()]).toEqual([1, 0]);
  });
});

/** What the engine does about a child that dies again and again, with real processes that end at once. */
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SupervisedChild } from '../../../worker/local-engine/children/supervised-child.js';
import { until } from '../../support/until.js';

let child: SupervisedChild | null = null;
afterEach(() => child?.stop(0));

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
    name: 'the child',
    log: '/dev/null',
    readyLimitMs: 10_000,
    spawn: () => {
      seen.starts += 1;
      if (isRefused(seen.starts)) throw new Error('spawn ENOMEM');
      return spawn('/bin/sh', ['-c', seen.starts <= deaths ? 'exit 1' : 'exec sleep 60'], { stdio: 'ignore' });
    },
    ready: async () => undefined,
    isExcused: () => isExcused(seen.starts),
    onIdentity: () => undefined,
    onRestart: () => undefined,
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

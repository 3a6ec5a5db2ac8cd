import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { awaitEnd } from '../../../client/cli/watch/await-end.js';
import { countAbsence } from '../../../client/cli/watch/server-away.js';
import { BUILT_ANEW } from '../../../config/system/error-code.js';

const HOUR_MS = 3_600_000;

describe('waiting for an end by long poll', () => {
  let now = 0;

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Each ask lasts so long by the clock, and fails where the server is away. */
  const endOf = (asks: readonly { readonly lastsMs: number; readonly isAway: boolean }[]) => {
    let next = 0;
    const ask = async () => {
      const asked = asks[Math.min(next, asks.length - 1)];
      next += 1;
      now += asked?.lastsMs ?? 0;
      if (asked?.isAway !== false) throw new Error('14 UNAVAILABLE');
      return 'done';
    };
    return awaitEnd({ ask, unknown: 'nobody knows it', absence: countAbsence() }, new AbortController().signal);
  };

  it('goes on over a server that restarts behind a poll of an hour', async () => {
    const end = await endOf([
      { lastsMs: HOUR_MS, isAway: true },
      { lastsMs: 1, isAway: false },
    ]);

    expect(end).toEqual({ kind: 'closed', result: 'done' });
  });

  it('counts each absence from its own first answer that was missed', async () => {
    const absence = countAbsence();
    expect(absence.missed()).toBe(false);
    now += HOUR_MS;
    absence.answered();
    expect(absence.missed()).toBe(false);
    now += 31_000;
    expect(absence.missed()).toBe(true);
  });

  it('gives up a server that stays away', async () => {
    expect(await endOf([{ lastsMs: 31_000, isAway: true }])).toEqual({ kind: 'server_away' });
  });

  it('is no longer of use where a part of the program is gone that asks', async () => {
    const gone = Object.assign(new Error('it was built anew'), { code: BUILT_ANEW });
    const ending = new AbortController();
    const onAway = jest.fn(() => ending.abort());
    const ask = () => Promise.reject(gone);

    const end = awaitEnd({ ask, unknown: 'nobody knows it', onAway, absence: countAbsence() }, ending.signal);

    await expect(end).rejects.toBe(gone);
    expect(onAway).not.toHaveBeenCalled();
  });
});

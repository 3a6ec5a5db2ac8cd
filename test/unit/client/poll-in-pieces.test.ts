/** A wait that is longer than its pieces: what each piece leaves at its signal goes with it. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { pollInPieces } from '../../../client/calls/poll-in-pieces.js';

/** As the SDK: a listener a poll, which nobody takes away. */
function pollsOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));
}

describe('a long wait', () => {
  it('gathers no listeners at the signal that lasts', async () => {
    const stop = new AbortController();
    let asked = 0;

    const answer = await pollInPieces(
      stop.signal,
      (signal) => ((asked += 1) > 20 ? Promise.resolve('done') : pollsOf(signal)),
      1,
    );

    expect([answer, asked, getEventListeners(stop.signal, 'abort').length]).toEqual(['done', 21, 0]);
  });

  it('ends with the error of what is asked, and when it is stopped', async () => {
    const stop = new AbortController();
    await expect(pollInPieces(stop.signal, () => Promise.reject(new Error('not found')))).rejects.toThrow('not found');

    const waiting = pollInPieces(stop.signal, pollsOf, 60_000);
    stop.abort();
    await expect(waiting).rejects.toThrow('cancelled');
  });
});

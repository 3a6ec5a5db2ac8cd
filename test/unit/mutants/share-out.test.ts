import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { shareOut } from '../../mutants/share-out.js';

const LONG_MS = 50;

describe('jobs on lanes', () => {
  it('are each done once', async () => {
    const done: string[] = [];

    await shareOut({ lanes: ['a', 'b'], stop: new AbortController() }, ['1', '2', '3'], async (lane, job) => {
      await sleep(1);
      done.push(`${lane}${job}`);
    });

    expect(done.map((one) => one.slice(1)).toSorted()).toEqual(['1', '2', '3']);
  });

  it('end with the error of one, once the others are at rest, and no other is begun', async () => {
    const [begun, ended]: [string[], string[]] = [[], []];
    const stop = new AbortController();

    const sharing = shareOut({ lanes: ['a', 'b'], stop }, ['fails', 'lasts', 'waits'], async (_lane, job) => {
      begun.push(job);
      if (job === 'fails') throw new Error('of a job');
      await sleep(LONG_MS);
      ended.push(job);
    });

    await expect(sharing).rejects.toThrow('of a job');
    expect({ begun, ended }).toEqual({ begun: ['fails', 'lasts'], ended: ['lasts'] });
    expect(stop.signal.reason).toEqual(new Error('of a job'));
  });

  it('end with the reason of a stop, once all are at rest', async () => {
    const ended: string[] = [];
    const stop = new AbortController();

    const sharing = shareOut({ lanes: ['a', 'b'], stop }, ['1', '2', '3'], async (_lane, job) => {
      await sleep(job === '2' ? LONG_MS : 1);
      if (job === '1') stop.abort('ended by SIGINT');
      ended.push(job);
    });

    await expect(sharing).rejects.toBe('ended by SIGINT');
    expect(ended).toEqual(['1', '2']);
  });
});

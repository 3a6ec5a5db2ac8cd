/** The one connection to Temporal: a question that fails takes it from nobody else, and what is looked at again and again goes on after a failure. */
import { describe, expect, it } from '@jest/globals';
import { repeat } from '../../../client/http/repeat.js';
import { type Connect, ServerLine } from '../../../client/http/server-line.js';
import type { Sluice } from '../../../client/sluice.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { until } from '../../support/until.js';

/** How often each was closed. */
function connections() {
  const closed: number[] = [];
  const line = new ServerLine(() => {
    const n = closed.push(0) - 1;
    const close = () => {
      closed[n] = (closed[n] ?? 0) + 1;
      return Promise.resolve();
    };
    return Promise.resolve({ close } as unknown as Sluice); // Nothing else of it is asked.
  });
  return { closed, line };
}

describe('a question that fails', () => {
  it('late, on a connection that was given up, leaves the next connection to who asks by it', async () => {
    const { closed, line } = connections();
    let failLate: (error: Error) => void = () => {};
    const late = line.ask(() => new Promise((_, reject) => (failLate = reject))).catch(() => 'failed');
    await until(() => closed.length === 1);
    await line.ask(() => Promise.reject(new Error('away'))).catch(() => {});
    await line.ask(() => Promise.resolve());

    failLate(new Error('away'));

    expect(await late).toBe('failed');
    expect(closed).toEqual([1, 0]);
  });
});

describe('a server that is away', () => {
  const askedOf = (connect: Connect) => new ServerLine(connect).ask(() => Promise.resolve()).catch((away) => away);

  it('is told with what mends it, which need not be the local engine', async () => {
    const refused = new RefusedError({ what: 'it does not answer', why: 'it must', now: 'Nothing.', mend: 'start it' });

    expect([await askedOf(() => Promise.reject(refused)), await askedOf(() => Promise.resolve(null))]).toMatchObject([
      { name: 'ServerAway', message: 'it does not answer; it must', mend: 'start it' },
      { name: 'ServerAway', message: 'the local engine is down', mend: 'sluice up' },
    ]);
    expect(await askedOf(() => Promise.reject(new Error('built anew')))).toMatchObject({
      name: 'ServerAway',
      message: 'built anew',
      mend: null,
    });
  });
});

describe('a connection that is given up', () => {
  it('is closed once those are answered who asked on it before', async () => {
    const { closed, line } = connections();
    let answer: (value: string) => void = () => {};
    const early = line.ask(() => new Promise<string>((resolve) => (answer = resolve)));
    await until(() => closed.length === 1);
    await line.ask(() => Promise.reject(new Error('away'))).catch(() => {});
    await line.ask(() => Promise.resolve());
    expect(closed).toEqual([0, 0]);

    answer('taken');

    expect(await early).toBe('taken');
    expect(closed).toEqual([1, 0]);
    await line[Symbol.asyncDispose]();
    expect(closed).toEqual([1, 1]);
  });
});

it('a look that fails is followed by the next', async () => {
  let looks = 0;
  const end = repeat(() => {
    looks += 1;
    return Promise.reject(new Error('gone'));
  }, 1);

  await until(() => looks > 2);
  end();
});

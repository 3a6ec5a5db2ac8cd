/** A stream holds what it was sent and no more, and gives free what it held however it ended. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { LiveHub } from '../../../client/http/live-hub.js';
import { streamOf } from '../../../client/http/serve-stream.js';
import type { StreamEvent } from '../../../client/http/shapes.js';
import { until } from '../../support/until.js';

/** Of a reader with as much to tell as anybody takes. */
function served(event: StreamEvent | null) {
  const told = { asked: 0, left: 0, ended: 0, cut: 0 };
  let close: () => void = () => {};
  const hub: Pick<LiveHub, 'read'> = {
    read: () => ({
      next: () => {
        told.asked += 1;
        return event;
      },
      leave: () => {
        told.left += 1;
      },
    }),
  };
  const stream = streamOf({
    topics: [{ kind: 'list' }],
    hub,
    cut: () => {
      told.cut += 1;
    },
    onEnd: () => {
      told.ended += 1;
    },
    onClosed: (end) => {
      close = end;
    },
    standsStillMs: 20,
  });
  return { told, stream, close: () => close() };
}

const BIG: StreamEvent = {
  topic: 'run',
  runId: 'a',
  whole: false,
  position: '1.00000000',
  events: [{ seq: 1, timestamp: '', type: 'x', message: 'x'.repeat(100_000) }],
};

describe('a stream', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('that nobody reads is asked for no more than it may hold, and is cut', async () => {
    const { told, close } = served(BIG);

    await until(() => told.cut > 0);

    expect(told).toMatchObject({ asked: 3, left: 1, ended: 1 });
    close();
    expect(told.ended).toBe(1);
  });

  it('whose body nobody began to read gives its place free when the connection ends, once', async () => {
    const { told, stream, close } = served(null);

    close();
    expect(told).toMatchObject({ left: 1, ended: 1 });
    await stream.cancel();

    expect(told).toMatchObject({ left: 1, ended: 1 });
  });

  it('that is left gives its place free, once', async () => {
    const { told, stream, close } = served(BIG);
    const reader = stream.getReader();
    await reader.read();

    await reader.cancel();
    close();

    expect(told).toMatchObject({ left: 1, ended: 1 });
  });

  it('says that it is there as soon as it has said nothing for 15 s, whenever it said something last', async () => {
    jest.useFakeTimers();
    const events: StreamEvent[] = [];
    let ring = () => {};
    const read: LiveHub['read'] = (_, wake) => {
      ring = wake;
      return { next: () => events.shift() ?? null, leave: () => {} };
    };
    const nothing = () => {};
    const stream = streamOf({
      topics: [{ kind: 'list' }],
      hub: { read },
      cut: nothing,
      onEnd: nothing,
      onClosed: nothing,
    });
    const said: string[] = [];
    const write = (piece: Uint8Array) => void said.push(Buffer.from(piece).toString().slice(0, 5));
    const left = new AbortController();
    const all = stream.pipeTo(new WritableStream({ write }), { signal: left.signal }).catch(() => {});

    await jest.advanceTimersByTimeAsync(1_000);
    events.push(BIG);
    ring();
    await jest.advanceTimersByTimeAsync(14_900);
    const before = [...said];
    await jest.advanceTimersByTimeAsync(200);

    expect([before, said]).toEqual([
      [': sti', 'data:'],
      [': sti', 'data:', ': sti'],
    ]);
    left.abort();
    await all;
  });
});

/** A stream holds what it was sent and no more, and gives free what it held however it ended. */
import { describe, expect, it } from '@jest/globals';
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
  it('that nobody reads is asked for no more than it may hold, and is cut', async () => {
    const { told, close } = served(BIG);

    await until(() => told.cut > 0);

    expect(told.asked).toBe(3);
    close();
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
});

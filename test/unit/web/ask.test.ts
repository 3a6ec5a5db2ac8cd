/** What the page asks of its server: an answer that is cut is none, and one that nobody waits for any more is told to nobody. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const NONE = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
const realFetch = globalThis.fetch;

/** The body of the answer that comes. */
let body: ReadableStream<Uint8Array>;
let cut: (why: Error) => void;

beforeEach(() => {
  body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"half":'));
      cut = (why) => controller.error(why);
    },
  });
  // A real one would hold the process.
  const BroadcastChannel = class {
    postMessage(): void {}
  };
  Object.assign(globalThis, { sessionStorage: NONE, BroadcastChannel, fetch: async () => new Response(body) });
});

afterEach(() => {
  globalThis.fetch = realFetch;
  Reflect.deleteProperty(globalThis, 'sessionStorage');
});

describe('an answer', () => {
  it('that is cut in the middle is none, so that nobody knows what became of what was asked', async () => {
    const { ask } = await import('../../../page/state/ask.js');
    const answer = ask('/api/runs/a/pause', { body: {} });

    cut(new Error('the connection ended'));

    await expect(answer).rejects.toMatchObject({ status: null, message: 'the answer of the server was cut' });
  });

  it('that nobody waits for any more is told as left, though it had begun', async () => {
    const { ask } = await import('../../../page/state/ask.js');
    const left = new AbortController();
    const answer = ask('/api/runs/a', { signal: left.signal });

    left.abort();
    cut(new Error('the request was left'));

    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });
});

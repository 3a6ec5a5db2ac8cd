/** What the page asks of its server: an answer that is cut is none, and one that nobody waits for any more is told to nobody. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

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

  it.each([
    ['not at all', {}],
    ['not to its end', {}],
    ['not at all', { signal: new AbortController().signal }],
  ])('that comes %s in 30 s is none, as of a server that is gone: %j', async (how, more) => {
    const { ask } = await import('../../../page/state/ask.js');
    const clock = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
    const fetch = (_path: string, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((answer, fail) => {
        if (how === 'not to its end') answer(new Response(body));
        signal.addEventListener('abort', () => {
          fail(signal.reason);
          cut(new Error('the request was ended'));
        });
      });
    Object.assign(globalThis, { fetch });
    const answer = ask('/api/runs/a/pause', { body: {}, ...more });
    await new Promise((resolve) => setImmediate(resolve));

    clock.abort(new DOMException('too late', 'TimeoutError'));

    await expect(answer).rejects.toMatchObject({ name: 'Error', status: null });
    expect(timeout).toHaveBeenCalledWith(30_000);
    timeout.mockRestore();
  });
});

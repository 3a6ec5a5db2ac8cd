/** The key of a browser, in each of its tabs: the newest counts, whatever is still under way with the one before. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';

const kept = new Map<string, string>();
const said: unknown[] = [];
let hear: (message: unknown) => void = () => {};

type Session = typeof import('../../../page/state/session.js');
type Ask = typeof import('../../../page/state/ask.js');
let tab: Session;
let asks: Ask;
let answer: (path: string, asked: { readonly body?: string; readonly signal: AbortSignal }) => Promise<Response>;
/** What the address bar shows. */
const location = { hash: '', pathname: '/runs/a' };
/** Somebody puts an address in that differs from this one by its code alone. */
let putCode: (code: string) => void;

beforeAll(async () => {
  const sessionStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  const BroadcastChannel = class {
    set onmessage(listener: (event: { readonly data: unknown }) => void) {
      hear = (data) => listener({ data });
    }
    postMessage(message: unknown): void {
      said.push(message);
    }
  };
  const window = {
    addEventListener(_name: 'hashchange', listener: () => void) {
      putCode = (code) => {
        location.hash = `#${code}`;
        listener();
      };
    },
  };
  const history = {
    replaceState(_state: null, _title: '', path: string) {
      location.hash = path.slice(location.pathname.length);
    },
  };
  const fetch: typeof answer = (path, asked) => answer(path, asked);
  Object.assign(globalThis, { sessionStorage, BroadcastChannel, fetch, window, location, history });
  tab = await import('../../../page/state/session.js');
  asks = await import('../../../page/state/ask.js');
});

afterAll(() => {
  for (const name of ['sessionStorage', 'window', 'location', 'history']) Reflect.deleteProperty(globalThis, name);
});

let count = 0;

beforeEach(async () => {
  count += 1;
  said.length = 0;
  answer = known;
  hear({ key: `old-${count}`, isNew: true });
  await answered();
});

const known = () => Promise.resolve(Response.json({ by: 'kim@host' }));
const unknown = () => Promise.resolve(Response.json({ error: 'sign in' }, { status: 401 }));
/** Whatever was asked for a key that was heard. */
const answered = () => new Promise((resolve) => setImmediate(resolve));
const key = () => tab.session.value.key;

describe('the key of a tab', () => {
  it('is given up when the server does not know it, and another tab is told so, and asked', async () => {
    answer = unknown;

    await expect(asks.ask('/api/runs')).rejects.toThrow('sign in');

    expect([key(), kept.get('sluice.key'), said]).toEqual([null, undefined, [{ refused: `old-${count}` }, 'key?']]);
  });

  it('is given up when another tab was refused with it, and with no other', () => {
    hear({ refused: 'of another server' });
    const before = key();
    hear({ refused: `old-${count}` });

    expect([before, key(), kept.get('sluice.key'), said]).toEqual([`old-${count}`, null, undefined, []]);
  });

  it('comes by an address that is put into a tab which is there already, and its code leaves the address', async () => {
    const traded: unknown[] = [];
    await tab.signInAtStart();
    hear({ refused: `old-${count}` });
    answer = (_path, { body = '{}' }) => {
      traded.push(JSON.parse(body));
      return Promise.resolve(Response.json({ key: `typed-${count}` }));
    };

    putCode('the-code');
    const { hash } = location;
    await answered();

    expect([hash, traded, key()]).toEqual(['', [{ code: 'the-code' }], `typed-${count}`]);
  });

  it('of the next server stays, though a request with the one before is refused after it came', async () => {
    answer = async () => {
      hear({ key: `new-${count}`, isNew: true });
      return unknown();
    };

    await expect(asks.ask('/api/runs')).rejects.toThrow('sign in');

    expect([key(), kept.get('sluice.key')]).toEqual([`new-${count}`, `new-${count}`]);
  });

  it('is never again one that the server refused, whatever another tab still has', async () => {
    answer = unknown;
    await expect(asks.ask('/api/runs')).rejects.toThrow('sign in');

    answer = known;
    hear({ key: `old-${count}` });
    await answered();
    const refused = key();
    hear({ key: `good-${count}` });
    await answered();

    expect([refused, key()]).toEqual([null, `good-${count}`]);
  });

  it.each([{ isNew: true }, {}])(
    'is none that the server does not know, where a code may be typed: %j',
    async (how) => {
      const changes: unknown[] = [];
      answer = unknown;
      await expect(asks.ask('/api/runs')).rejects.toThrow('sign in');
      const end = tab.session.listen(() => changes.push(key()));

      hear({ key: `older-${count}`, ...how });
      await answered();
      end();

      expect([key(), changes]).toEqual([null, []]);
    },
  );

  it('is one of another tab where the server does not answer, for then nobody has refused it', async () => {
    answer = unknown;
    await expect(asks.ask('/api/runs')).rejects.toThrow('sign in');

    answer = () => Promise.reject(new TypeError('fetch failed'));
    hear({ key: `kept-${count}` });
    await answered();

    expect(key()).toBe(`kept-${count}`);
  });

  it('is none where the server does not answer the code in 30 s, which a person is told', async () => {
    hear({ refused: `old-${count}` });
    const clock = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
    answer = (_path, { signal }) =>
      new Promise((_answer, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
    const traded = tab.tradeCode('the-code');

    clock.abort(new DOMException('too late', 'TimeoutError'));
    await traded;

    expect(timeout).toHaveBeenCalledWith(30_000);
    expect(tab.session.value).toEqual({ key: null, told: 'The server does not answer.' });
    timeout.mockRestore();
  });

  it('is told to a tab that asks, and taken from none that has an older one', () => {
    hear('key?');
    hear({ key: 'of another tab' });

    expect([said, key()]).toEqual([[{ key: `old-${count}` }], `old-${count}`]);
  });
});

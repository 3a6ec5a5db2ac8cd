/** The key of a browser, in each of its tabs: the newest counts, whatever is still under way with the one before. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

const kept = new Map<string, string>();
const said: unknown[] = [];
let hear: (message: unknown) => void = () => {};

type Session = typeof import('../../../page/state/session.js');
type Ask = typeof import('../../../page/state/ask.js');
let tab: Session;
let asks: Ask;
let answer: () => Promise<Response>;

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
  Object.assign(globalThis, { sessionStorage, BroadcastChannel, fetch: () => answer() });
  tab = await import('../../../page/state/session.js');
  asks = await import('../../../page/state/ask.js');
});

afterAll(() => void Reflect.deleteProperty(globalThis, 'sessionStorage'));

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
  it('is given up when the server does not know it, and another tab is asked', async () => {
    answer = unknown;

    await expect(asks.ask('/api/runs')).rejects.toThrow('sign in');

    expect([key(), kept.get('sluice.key'), said]).toEqual([null, undefined, ['key?']]);
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

  it('is told to a tab that asks, and taken from none that has an older one', () => {
    hear('key?');
    hear({ key: 'of another tab' });

    expect([said, key()]).toEqual([[{ key: `old-${count}` }], `old-${count}`]);
  });
});

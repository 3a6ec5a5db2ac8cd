/** The request id of what a person says: the same for a second try, another where it is meant again. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => {
    kept.set(key, value);
    Object.assign(storage, { [key]: value });
  },
  removeItem: (key: string) => {
    kept.delete(key);
    Reflect.deleteProperty(storage, key);
  },
};

/** What the server got, as `pause <request id>`. */
let sent: string[];
let isAway: boolean;

beforeEach(() => {
  for (const key of kept.keys()) storage.removeItem(key);
  sent = [];
  isAway = false;
  jest.useFakeTimers();
  const fetch = (path: string, { body }: { readonly body: string }) => {
    const { requestId } = JSON.parse(body) as { readonly requestId: string };
    sent.push(`${path.split('/').at(-1)} ${requestId}`);
    if (isAway) return Promise.reject(new Error('cut'));
    return Promise.resolve(Response.json({ sent: 'accepted', message: 'done' }));
  };
  // A real one would hold the process.
  const BroadcastChannel = class {
    postMessage(): void {}
  };
  Object.assign(globalThis, { sessionStorage: storage, fetch, BroadcastChannel });
});

afterEach(() => {
  jest.useRealTimers();
  Reflect.deleteProperty(globalThis, 'sessionStorage');
});

async function say(path: string): Promise<string> {
  const { send } = await import('../../../page/state/send.js');
  const became = send(path, {});
  await jest.advanceTimersByTimeAsync(10_000);
  await became;
  return sent.at(-1) ?? '';
}

/** Its answer was lost. */
async function sayInVain(path: string): Promise<string> {
  isAway = true;
  const said = await say(path);
  isAway = false;
  return said;
}

describe('what is said', () => {
  it('again after its answer was lost is the same message', async () => {
    const first = await sayInVain('/api/runs/a/pause');

    expect(await say('/api/runs/a/pause')).toBe(first);
    expect(new Set(sent).size).toBe(1);
  });

  it('again after something else was said to the same run is another', async () => {
    const first = await sayInVain('/api/runs/a/pause');
    await say('/api/runs/a/resume');

    expect(await say('/api/runs/a/pause')).not.toBe(first);
  });

  it('again much later is another', async () => {
    const first = await sayInVain('/api/runs/a/pause');
    await jest.advanceTimersByTimeAsync(11 * 60_000);

    expect(await say('/api/runs/a/pause')).not.toBe(first);
  });

  it('to another run forgets nothing of this one', async () => {
    const first = await sayInVain('/api/runs/a/pause');
    await say('/api/runs/ab/resume');

    expect(await say('/api/runs/a/pause')).toBe(first);
  });
});

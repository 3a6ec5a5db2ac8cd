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
/** The server is another by now, which does not know who asks. */
let isUnknown: boolean;
/** The run has ended. */
let isClosed: boolean;

beforeEach(() => {
  for (const key of kept.keys()) storage.removeItem(key);
  sent = [];
  isAway = false;
  isUnknown = false;
  isClosed = false;
  jest.useFakeTimers();
  const fetch = (path: string, { body }: { readonly body: string }) => {
    const { requestId } = JSON.parse(body) as { readonly requestId: string };
    sent.push(`${path.split('/').at(-1)} ${requestId}`);
    if (isAway) return Promise.reject(new Error('cut'));
    if (isUnknown) return Promise.resolve(Response.json({ error: 'sign in' }, { status: 401 }));
    if (isClosed) return Promise.resolve(Response.json({ sent: 'closed', message: 'it is closed' }, { status: 409 }));
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
  await outcomeOf(path);
  return sent.at(-1) ?? '';
}

/** What the person is told. */
async function outcomeOf(path: string): Promise<string> {
  const { send } = await import('../../../page/state/send.js');
  const became = send(path, {});
  await jest.advanceTimersByTimeAsync(10_000);
  return (await became).text;
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

  it('and refused, after a try whose answer was lost, is not told as not sent, and stays the same message', async () => {
    isAway = true;
    const told = outcomeOf('/api/runs/a/pause');
    await jest.advanceTimersByTimeAsync(100);
    [isAway, isUnknown] = [false, true];

    expect(await told).toMatch(/^sign in\. Whether it arrived is not known/);
    expect(await outcomeOf('/api/runs/a/pause')).toMatch(/^sign in\. Whether it arrived is not known/);
    isUnknown = false;
    expect(await say('/api/runs/a/pause')).toBe(sent[0]);
  });

  it('to a run that has ended changed nothing, unless a try before may have ended it', async () => {
    isClosed = true;
    const told = await outcomeOf('/api/runs/a/abort');
    isClosed = false;
    await sayInVain('/api/runs/a/abort');
    isClosed = true;

    expect(told).toBe('Nothing was changed: it is closed');
    expect(await outcomeOf('/api/runs/a/abort')).toBe('it is closed. Whether it counted before is not known.');
  });

  it('and refused at once was not sent, and is another message the next time', async () => {
    isUnknown = true;
    const told = await outcomeOf('/api/runs/a/pause');
    isUnknown = false;
    const first = sent.at(-1);

    expect(told).toBe('Nothing was sent: sign in');
    expect(await say('/api/runs/a/pause')).not.toBe(first);
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

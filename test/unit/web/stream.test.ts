/** The tab that reads the stream for all: whether the server answers, what it asks for, and whom it gives notices. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RunRow, StreamEvent } from '../../../client/http/shapes.js';
import type { Live } from '../../../page/state/live.js';
import type { Store } from '../../../page/state/store.js';
import type { TabMessage } from '../../../page/state/tab-messages.js';

interface Page {
  readonly live: Store<Live>;
  readonly connected: Store<boolean>;
  followTopic(topic: string): () => void;
  followStream(): Promise<never>;
}

/** Not by a type: it draws in the end, and what is drawn has other options. */
const PAGE = '../../../page/state/stream.js';

const GLOBALS = ['sessionStorage', 'document', 'window', 'location', 'navigator', 'Notification'] as const;
const realFetch = globalThis.fetch;

let page: Page;
/** What this tab told the others of the stream. */
let said: TabMessage[];
/** Another tab says that. */
let hear: (message: TabMessage) => void;
let notices: string[];
/** As of Chrome on Android. */
let refusesNotices: boolean;
/** What was asked of the server, the newest last. */
let asked: string[];
let status: number;
/** Of the stream that is open. */
let body: ReadableStreamDefaultController<Uint8Array>;
/** This tab leads once it has the lock. */
let hasLock: boolean;

const encoder = new TextEncoder();
const tell = (...events: readonly StreamEvent[]) => {
  for (const event of events) body.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  return pass(0);
};
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

function openBrowser(): void {
  const nothing = () => {};
  const onEvents = { addEventListener: nothing };
  const BroadcastChannel = class {
    constructor(private readonly name: string) {}
    set onmessage(listener: (event: { readonly data: TabMessage }) => void) {
      if (this.name === 'sluice.stream') hear = (data) => listener({ data });
    }
    postMessage(message: TabMessage): void {
      if (this.name === 'sluice.stream') said.push(structuredClone(message));
    }
  };
  const Notification = class {
    static readonly permission = 'granted';
    constructor(title: string) {
      notices.push(title);
      if (refusesNotices) throw new TypeError('Illegal constructor');
    }
  };
  const request = (_lock: string, _how: unknown, lead: () => Promise<void>) =>
    hasLock ? lead() : new Promise<void>(() => {});
  const window = { ...onEvents, Notification, setInterval: globalThis.setInterval };
  const document = { ...onEvents, hidden: false, visibilityState: 'visible', hasFocus: () => false };
  const sessionStorage = { getItem: () => 'a key', setItem: nothing, removeItem: nothing };
  const made = { sessionStorage, document, window, location: { pathname: '/' }, navigator: { locks: { request } } };
  for (const [name, value] of Object.entries({ ...made, Notification, BroadcastChannel, fetch: openStream }))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

function openStream(path: string, { signal }: { readonly signal: AbortSignal }): Promise<Response> {
  asked.push(decodeURIComponent(path));
  if (status !== 200) return Promise.resolve(Response.json({ error: 'sign in' }, { status }));
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      body = controller;
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  return Promise.resolve(new Response(stream));
}

beforeEach(async () => {
  [said, notices, asked, status, hasLock, refusesNotices] = [[], [], [], 200, true, false];
  jest.useFakeTimers();
  openBrowser();
  jest.resetModules();
  page = (await import(PAGE)) as Page; // What it exports, by its own types.
});

afterEach(() => {
  jest.useRealTimers();
  globalThis.fetch = realFetch;
  for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name);
});

const row = (runId: string, group: RunRow['group']): RunRow => ({
  runId,
  state: 'works',
  title: runId,
  group,
  where: '',
  retrying: null,
  since: '',
  startedAt: '',
  costMicroUsd: null,
  repo: null,
  branch: null,
  host: null,
});
const list = (rows: RunRow[]): StreamEvent => ({
  topic: 'list',
  whole: true,
  rows,
  gone: [],
  source: { kind: 'server', why: null },
});
const END: StreamEvent = { ...list([]), whole: false } as StreamEvent;
const run = (runId: string): StreamEvent => ({
  topic: 'run',
  runId,
  whole: true,
  position: '1.00000000',
  events: [{ seq: 1, timestamp: '', type: 'state.changed', message: 'one' }],
});
const shows = (tab: string, topics: readonly string[], isSeen = false): TabMessage => ({
  kind: 'wants',
  tab,
  topics,
  isSeen,
});
const saidOfServer = () => said.flatMap((message) => (message.kind === 'connected' ? [message.is] : []));

describe('who reads the stream', () => {
  it('tells the others that the server does not answer, where it refuses the key', async () => {
    void page.followStream();
    await pass(0);
    const before = [page.connected.value, saidOfServer()];
    status = 401;
    body.close();
    await pass(5_000);

    expect(before).toEqual([true, [true]]);
    expect([page.connected.value, saidOfServer().at(-1)]).toEqual([false, false]);
    expect(asked).toHaveLength(2);
  });

  it('tells a tab that comes later that the server does not answer', async () => {
    status = 503;
    void page.followStream();
    await pass(0);
    said.length = 0;
    hear(shows('later', []));

    expect(saidOfServer()).toEqual([false]);
  });

  it('takes a stream that says nothing for 40 s for one that ended, and asks for another', async () => {
    void page.followStream();
    await pass(0);
    for (let n = 0; n < 4; n += 1) {
      await pass(30_000);
      body.enqueue(encoder.encode(': still here\n\n'));
      await pass(0);
    }
    const before = [page.connected.value, asked.length];
    await pass(40_500);
    const silent = [page.connected.value, asked.length];
    await pass(1_000);

    expect([before, silent]).toEqual([
      [true, 1],
      [false, 1],
    ]);
    expect([page.connected.value, asked.length]).toEqual([true, 2]);
  });

  it('gives notices once a tab that was in front is heard no more, and asks no more for what it showed', async () => {
    void page.followStream();
    await pass(0);
    hear(shows('crashed', ['run:b'], true));
    await pass(0);
    await tell(list([row('a', 'working')]), END, list([row('a', 'yours')]), END);
    const before = [notices.length, asked.at(-1)];
    await pass(12_000);
    await tell(list([row('a', 'working')]), END, list([row('a', 'yours')]), END);
    body.close();
    await pass(1_000);

    expect(before).toEqual([0, '/api/stream?topic=list&topic=run:b']);
    expect([notices, asked.at(-1)]).toEqual([['a waits for you'], '/api/stream?topic=list']);
  });

  it('reads on where the browser refuses a notice that a person allowed, and tries no other', async () => {
    refusesNotices = true;
    void page.followStream();
    await pass(0);
    await tell(list([row('a', 'working')]), END, list([row('a', 'yours')]), END);
    await tell(list([row('a', 'working')]), END, list([row('a', 'yours')]), END);
    await pass(1_000);

    expect([notices, page.connected.value, asked]).toEqual([['a waits for you'], true, ['/api/stream?topic=list']]);
  });

  it('keeps a run while some tab shows it, and asks for all of it where it is shown again', async () => {
    void page.followStream();
    hear(shows('other', ['run:b']));
    await pass(0);
    await tell(run('b'));
    const kept = [...page.live.value.runs.keys()];
    hear(shows('other', []));
    await tell(run('b'));
    const left = page.live.value.runs.size;
    asked.length = 0;
    hear(shows('other', ['run:b']));
    await pass(0);

    expect([kept, left]).toEqual([['b'], 0]);
    expect(asked).toEqual(['/api/stream?topic=list&topic=run:b']);
  });
});

describe('a tab that another one reads for', () => {
  it('keeps of the runs that are told only what it shows itself', async () => {
    hasLock = false;
    void page.followStream();
    const end = page.followTopic('run:a');
    hear({ kind: 'leads', since: 1 });
    for (const event of [run('a'), run('b')]) hear({ kind: 'event', since: 1, event });
    const kept = [...page.live.value.runs.keys()];
    end();

    expect([kept, page.live.value.runs.size]).toEqual([['a'], 0]);
  });

  it('says every two seconds what it shows, so that who reads knows that it is there', async () => {
    hasLock = false;
    void page.followStream();
    page.followTopic('run:a');
    hear({ kind: 'leads', since: 1 });
    said.length = 0;
    await pass(4_000);

    expect(said).toMatchObject([
      { kind: 'ping', topics: ['run:a'], isSeen: false },
      { kind: 'ping', topics: ['run:a'], isSeen: false },
    ]);
  });
});

/**
 * The live stream, read once for all tabs of a browser, which has six connections to a server and no more: the tab that holds a lock reads it and passes it
 * on. Where that tab is closed the lock goes to the next; where it is frozen and answers nobody, a tab that somebody looks at takes the lock from it. Whoever
 * comes next goes on from the positions that it knows.
 */
import type { StreamEvent } from '../../client/http/shapes.js';
import { AskFailed, request } from './ask.js';
import { applyEvent, NOTHING_LIVE, topicsFor } from './live.js';
import { noticesOf } from './notices.js';
import { notify } from './notify.js';
import { session } from './session.js';
import { Store } from './store.js';
import { eventsOf, Leadership, type TabMessage, topicsWanted } from './tab-messages.js';

export const live = new Store(NOTHING_LIVE);

/** False while the server does not answer. */
export const connected = new Store(true);

const LOCK = 'sluice.stream';

/** **Unit** ms. */
const AGAIN_MS = 1_000;
const PING_EVERY_MS = 2_000;
/** Two questions and their answers; a machine that is busy answers late. */
const SILENT_MS = 5_000;

const tab = crypto.randomUUID();
const tabs = new BroadcastChannel('sluice.stream');

/** What each tab shows, this one too; of who leads alone it is whole. */
const wants = new Map<string, readonly string[]>();

/** Tabs that are in front; while there is one nobody needs a notice. */
const seen = new Set<string>();

const SEEN_BY = [
  [document, 'visibilitychange'],
  [window, 'focus'],
  [window, 'blur'],
] as const;

/** Topics of this tab, each as often as it is shown. */
const shown: string[] = [];

/** Ends the stream, for one with other topics. */
let reading = new AbortController();
/** Of the stream that is read. */
let streamed: readonly string[] = [];
/** Ends the wait for the lock, for taking it from who has it. */
let waiting = new AbortController();
let isLeading = false;
const leadership = new Leadership();
/** By a clock that nobody sets back. **Unit** ms. */
let heardAt = 0;

/** Answers what ends it. Effects: another stream, with this topic too. */
export function followTopic(topic: string): () => void {
  shown.push(topic);
  tellWants();
  return () => {
    shown.splice(shown.indexOf(topic), 1);
    tellWants();
  };
}

export async function followStream(): Promise<never> {
  tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data);
  window.addEventListener('pagehide', () => say({ kind: 'left', tab }));
  window.setInterval(lookAfterLeader, PING_EVERY_MS);
  for (const [on, name] of SEEN_BY) on.addEventListener(name, noteLook);
  heardAt = performance.now();
  tellWants();
  for (let takes = false; ; takes = waiting.signal.aborted) {
    const leading = new AbortController();
    waiting = new AbortController();
    // Taken away, or given up for taking it: then it is asked for again.
    const how = takes ? { steal: true } : { signal: waiting.signal };
    await navigator.locks.request(LOCK, how, () => lead(leading.signal)).catch(() => {});
    leading.abort();
    isLeading = false;
    heardAt = performance.now();
  }
}

async function lead(stop: AbortSignal): Promise<void> {
  isLeading = true;
  stop.addEventListener('abort', () => reading.abort(), { once: true });
  leadership.begin(Date.now());
  say({ kind: 'leads', since: leadership.since });
  while (!stop.aborted && !leadership.isOver) {
    if (session.value.key === null) await changeOf(session);
    else await readOnce(stop);
  }
}

async function readOnce(stop: AbortSignal): Promise<void> {
  reading = new AbortController();
  const { signal } = reading;
  streamed = topicsWanted(wants);
  const topics = topicsFor(live.value, streamed).map((topic) => `topic=${encodeURIComponent(topic)}`);
  try {
    const answer = await request(`/api/stream?${topics.join('&')}`, undefined, signal);
    if (!answer.ok || answer.body === null) throw new AskFailed('no stream', answer.status);
    setConnected(true);
    for await (const event of eventsIn(answer.body)) {
      if (leadership.isOver) break;
      const before = live.value.rows;
      live.change((value) => applyEvent(value, event));
      say({ kind: 'event', since: leadership.since, event });
      if (seen.size === 0) for (const notice of noticesOf(before, live.value.rows)) notify(notice);
    }
  } catch {
    // Cut, or asked for anew: the positions say where to go on.
  }
  if (signal.aborted || stop.aborted || leadership.isOver) return;
  setConnected(session.value.key === null);
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

function hear(message: TabMessage): void {
  switch (message.kind) {
    case 'wants':
      wants.delete(message.tab);
      wants.set(message.tab, message.topics);
      noteSeen(message.tab, message.isSeen);
      if (isLeading && !leadership.isOver) giveWanted(message.topics);
      return;
    case 'left':
      wants.delete(message.tab);
      noteSeen(message.tab, false);
      return;
    case 'leads':
      if (isOfLeader(message)) tellWants();
      return;
    case 'event':
      if (isOfLeader(message)) live.change((value) => applyEvent(value, message.event));
      return;
    case 'connected':
      if (isOfLeader(message)) connected.set(message.is);
      return;
    case 'ping':
      if (isLeading) say({ kind: 'pong', since: leadership.since });
      return;
    case 'pong':
      isOfLeader(message);
  }
}

function isOfLeader(message: Parameters<Leadership['hears']>[0]): boolean {
  if (!leadership.hears(message)) return false;
  heardAt = performance.now();
  if (isLeading && leadership.isOver) reading.abort();
  return true;
}

/** What is known at once, and another stream where this one lacks a topic. */
function giveWanted(topics: readonly string[]): void {
  for (const event of eventsOf(live.value, topics)) say({ kind: 'event', since: leadership.since, event });
  if (!topics.every((topic) => streamed.includes(topic))) reading.abort();
}

function noteSeen(who: string, isSeen: boolean): void {
  if (isSeen) seen.add(who);
  else seen.delete(who);
}

function tellWants(): void {
  const topics = [...new Set(shown)];
  wants.delete(tab);
  wants.set(tab, topics);
  const isSeen = document.visibilityState === 'visible' && document.hasFocus();
  noteSeen(tab, isSeen);
  say({ kind: 'wants', tab, topics, isSeen });
  if (isLeading && !topics.every((topic) => streamed.includes(topic))) reading.abort();
}

/** Who comes back to a tab asks who leads, before that counts as silent. */
function noteLook(): void {
  heardAt = performance.now();
  tellWants();
}

/** A hidden tab keeps still: its own clock may be held back. */
function lookAfterLeader(): void {
  if (isLeading || document.hidden) {
    heardAt = performance.now();
    return;
  }
  if (performance.now() - heardAt > SILENT_MS) waiting.abort();
  else say({ kind: 'ping' });
}

function setConnected(is: boolean): void {
  connected.set(is);
  say({ kind: 'connected', since: leadership.since, is });
}

function say(message: TabMessage): void {
  tabs.postMessage(message);
}

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks)
      if (block.startsWith('data: ')) yield JSON.parse(block.slice('data: '.length)) as StreamEvent; // By its schema.
  }
}

function changeOf(store: Store<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const end = store.listen(() => {
      end();
      resolve();
    });
  });
}

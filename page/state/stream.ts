/**
 * The live stream, read once for all tabs of a browser, which has six connections to a server and no more: the tab that holds a lock reads it and passes it
 * on. Where that tab is closed the lock goes to the next; where it is frozen and answers nobody, a tab that somebody looks at takes the lock from it. Whoever
 * comes next goes on from the positions that it knows.
 */
import { AskFailed, request } from './ask.js';
import { applyEvent, keepOnly, NOTHING_LIVE, topicsFor } from './live.js';
import { noticesOf } from './notices.js';
import { notify } from './notify.js';
import { session } from './session.js';
import { Store } from './store.js';
import { eventsIn, Silence } from './stream-events.js';
import { TabBook } from './tab-book.js';
import { eventsOf, Leadership, type Shown, type TabMessage, topicsWanted } from './tab-messages.js';

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

/** Of this tab too; of who leads alone it is whole. */
const book = new TabBook(tab);

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
  tellShown('wants');
  return () => {
    shown.splice(shown.indexOf(topic), 1);
    tellShown('wants');
  };
}

export async function followStream(): Promise<never> {
  tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data);
  window.addEventListener('pagehide', () => say({ kind: 'left', tab }));
  window.setInterval(keepInTouch, PING_EVERY_MS);
  for (const [on, name] of SEEN_BY) on.addEventListener(name, noteLook);
  heardAt = performance.now();
  tellShown('wants');
  for (let takes = false; ; takes = waiting.signal.aborted) {
    const leading = new AbortController();
    waiting = new AbortController();
    // Taken away, or given up for taking it: then it is asked for again.
    const how = takes ? { steal: true } : { signal: waiting.signal };
    await navigator.locks.request(LOCK, how, () => lead(leading.signal)).catch(() => {});
    leading.abort();
    isLeading = false;
    forgetUnshown();
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
  const silence = new Silence();
  forgetUnshown();
  streamed = live.value.topics;
  const topics = topicsFor(live.value, streamed).map((topic) => `topic=${encodeURIComponent(topic)}`);
  try {
    const answer = await request(
      `/api/stream?${topics.join('&')}`,
      undefined,
      AbortSignal.any([signal, silence.signal]),
    );
    if (!answer.ok || answer.body === null) throw new AskFailed('no stream', answer.status);
    setConnected(true);
    for await (const event of eventsIn(answer.body, silence)) {
      if (leadership.isOver) break;
      const before = live.value;
      live.change((value) => applyEvent(value, event));
      say({ kind: 'event', since: leadership.since, event });
      if (!book.isAnySeen(performance.now())) for (const notice of noticesOf(before, live.value)) notify(notice);
    }
  } catch {
    // Cut, silent, or asked for anew: the positions say where to go on.
  } finally {
    silence.end();
  }
  if (signal.aborted || stop.aborted || leadership.isOver) return;
  setConnected(false);
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

function hear(message: TabMessage): void {
  switch (message.kind) {
    case 'ping':
    case 'wants':
      return hearShown(message);
    case 'left':
      book.forget(message.tab);
      return forgetUnshown();
    case 'leads':
      if (isOfLeader(message)) tellShown('wants');
      return;
    case 'event':
      if (isOfLeader(message)) live.change((value) => applyEvent(value, message.event));
      return;
    case 'connected':
      if (isOfLeader(message)) connected.set(message.is);
      return;
    case 'pong':
      isOfLeader(message);
  }
}

function hearShown(message: Shown): void {
  if (isLeading && message.kind === 'ping') say({ kind: 'pong', since: leadership.since });
  const mayLack = book.note(message, performance.now());
  forgetUnshown();
  if (mayLack && isLeading && !leadership.isOver) giveWanted(message.topics);
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
  say({ kind: 'connected', since: leadership.since, is: connected.value });
  if (!isStreamed(topics)) reading.abort();
}

/** A `wants` or `ping` of this tab. */
function tellShown(kind: Shown['kind']): void {
  const topics = [...new Set(shown)];
  const isSeen = document.visibilityState === 'visible' && document.hasFocus();
  const said: Shown = { kind, tab, topics, isSeen };
  const mayLack = book.note(said, performance.now());
  say(said);
  forgetUnshown();
  if (mayLack && isLeading && !isStreamed(topics)) reading.abort();
}

/** What was forgotten is streamed no more, so that it is asked for from its beginning where it is shown again. */
function forgetUnshown(): void {
  const topics = isLeading ? topicsWanted(book.wants(performance.now())) : [...new Set(shown)];
  live.change((value) => keepOnly(value, topics));
  streamed = streamed.filter((topic) => topics.includes(topic));
}

function isStreamed(topics: readonly string[]): boolean {
  return topics.every((topic) => streamed.includes(topic));
}

/** Who comes back to a tab asks who leads, before that counts as silent. */
function noteLook(): void {
  heardAt = performance.now();
  tellShown('wants');
}

/** A hidden tab takes the lock from nobody: its own clock may be held back. */
function keepInTouch(): void {
  const now = performance.now();
  if (isLeading || document.hidden) heardAt = now;
  if (now - heardAt > SILENT_MS) waiting.abort();
  else tellShown('ping');
}

function setConnected(is: boolean): void {
  connected.set(is);
  say({ kind: 'connected', since: leadership.since, is });
}

function say(message: TabMessage): void {
  tabs.postMessage(message);
}

function changeOf(store: Store<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const end = store.listen(() => {
      end();
      resolve();
    });
  });
}

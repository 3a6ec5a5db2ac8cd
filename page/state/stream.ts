/** Reads the live stream as long as somebody shows what comes by it, and comes back by its positions when it was cut. */
import type { StreamEvent } from '../../client/http/shapes.js';
import { AskFailed, request } from './ask.js';
import { applyEvent, NOTHING_LIVE, topicsFor } from './live.js';
import { session } from './session.js';
import { Store } from './store.js';

export const live = new Store(NOTHING_LIVE);

/** False while the server does not answer. */
export const connected = new Store(true);

/** The runs that are shown, each as often as it is. */
const shown: string[] = [];

/** **Unit** ms. */
const AGAIN_MS = 1_000;

let reading = new AbortController();

/** Answers what ends it. Effects: another stream, with this run too. */
export function followRun(runId: string): () => void {
  shown.push(runId);
  reading.abort();
  return () => {
    shown.splice(shown.indexOf(runId), 1);
    reading.abort();
  };
}

export async function followStream(): Promise<never> {
  for (;;) {
    if (session.value.key === null) await changeOf(session);
    else await readOnce();
  }
}

async function readOnce(): Promise<void> {
  reading = new AbortController();
  const { signal } = reading;
  const topics = topicsFor(live.value, [...new Set(shown)]).map((topic) => `topic=${encodeURIComponent(topic)}`);
  try {
    const answer = await request(`/api/stream?${topics.join('&')}`, undefined, signal);
    if (!answer.ok || answer.body === null) throw new AskFailed('no stream', answer.status);
    connected.set(true);
    for await (const event of eventsIn(answer.body)) live.change((value) => applyEvent(value, event));
  } catch {
    // Cut, or asked for anew: the positions say where to go on.
  }
  if (signal.aborted) return;
  connected.set(session.value.key === null);
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
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

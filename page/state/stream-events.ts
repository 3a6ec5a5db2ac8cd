/** The events of a stream as they come, and how long it may say nothing: the server says every 15 s that it is still there. */
import type { StreamEvent } from '../../client/http/shapes.js';

/** **Unit** ms: two of its words were lost, and the third is late. */
const SILENT_MS = 40_000;

/** Aborts a stream that says nothing: a connection whose other end is gone may never tell. */
export class Silence {
  private readonly controller = new AbortController();
  private timer = this.wait();

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Something was said. */
  hear(): void {
    this.end();
    this.timer = this.wait();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private wait(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.controller.abort(), SILENT_MS);
  }
}

export async function* eventsIn(body: ReadableStream<Uint8Array>, silence: Silence): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    silence.hear();
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks)
      if (block.startsWith('data: ')) yield JSON.parse(block.slice('data: '.length)) as StreamEvent; // By its schema.
  }
}

/**
 * A stream of server-sent events. A reader who takes nothing stands still and holds no more than what was sent to it; one who stands still for a minute is
 * gone, and its connection is ended: a page that lives comes back by its positions.
 */
import type { LiveHub, Reader } from './live-hub.js';
import { redactedJson } from './redacted-json.js';
import type { StreamEvent } from './shapes.js';
import type { Topic } from './topics.js';

/** **Unit** bytes, beside what the kernel takes. */
const MAX_UNSENT = 256 * 1024;

/** **Unit** ms. */
const COMMENT_EVERY_MS = 15_000;
const STANDS_STILL_MS = 60_000;

const encoder = new TextEncoder();
const COMMENT = encoder.encode(': still here\n\n');
const bytes = new WeakMap<StreamEvent, Uint8Array>();

export interface ServedStream {
  readonly topics: readonly Topic[];
  readonly hub: Pick<LiveHub, 'read'>;
  /** Ends the connection. */
  readonly cut: () => void;
  /** Tells when the connection has ended, however: a body that nobody began to read is never cancelled. */
  readonly onClosed: (end: () => void) => void;
  /** Nothing is sent any more. Called once. */
  readonly onEnd: () => void;
  readonly commentEveryMs?: number;
  readonly standsStillMs?: number;
}

export function streamOf(served: ServedStream): ReadableStream<Uint8Array> {
  const { topics, hub, cut, commentEveryMs = COMMENT_EVERY_MS, standsStillMs = STANDS_STILL_MS } = served;
  const bell = new Bell();
  const readers = topics.map((topic) => hub.read(topic, () => bell.ring()));
  // At the beginning too, since a reader waits for the first byte.
  let isWordDue = true;
  const silence = setTimeout(() => {
    isWordDue = true;
    bell.ring();
  }, commentEveryMs);
  let isEnded = false;
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    clearTimeout(silence);
    clearTimeout(stands);
    for (const reader of readers) reader.leave();
    bell.ring();
    served.onEnd();
  };
  const stands = setTimeout(() => {
    // Its place is free at once: an answer that waits behind another on its connection cannot be closed before that one.
    end();
    cut();
  }, standsStillMs);
  served.onClosed(end);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (isEnded) return;
        stands.refresh();
        let event = nextEvent(readers);
        while (event === null && !isWordDue && !isEnded) {
          await bell.rung();
          event = nextEvent(readers);
        }
        if (isEnded) return;
        isWordDue = false;
        silence.refresh();
        controller.enqueue(event === null ? COMMENT : bytesOf(event));
      },
      cancel: end,
    },
    { highWaterMark: MAX_UNSENT, size: (chunk) => chunk.byteLength },
  );
}

function nextEvent(readers: readonly Reader[]): StreamEvent | null {
  for (const reader of readers) {
    const event = reader.next();
    if (event !== null) return event;
  }
  return null;
}

/** The same bytes for everybody who is told the same event. */
function bytesOf(event: StreamEvent): Uint8Array {
  const known = bytes.get(event);
  if (known !== undefined) return known;
  const made = encoder.encode(`data: ${redactedJson(event)}\n\n`);
  bytes.set(event, made);
  return made;
}

/** Rung once or often, it is heard once. */
class Bell {
  private isRung = false;
  private hear: (() => void) | null = null;

  ring(): void {
    this.isRung = true;
    this.hear?.();
  }

  async rung(): Promise<void> {
    if (!this.isRung)
      await new Promise<void>((resolve) => {
        this.hear = resolve;
      });
    this.hear = null;
    this.isRung = false;
  }
}

/** Work that nobody waits for longer than a time. It goes on unheard. It needs nothing but node. */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Of the event loop: the connection, the question, the answer, with room. */
const READING_TURNS = 20;

/** An answer that has arrived and was not read yet counts: this process may have had no time of the machine itself. **Unit** of `ms`: ms. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T | 'late'> {
  const late = new AbortController();
  try {
    return await Promise.race([answer, delay(ms, 'late' as const, { signal: late.signal }).then(afterReading)]);
  } finally {
    late.abort();
  }
}

async function afterReading(late: 'late'): Promise<'late'> {
  for (let step = 0; step < READING_TURNS; step += 1) await turn();
  return late;
}

/** The whole of a program that another of ours starts with one question: a line of JSON in, a line out. It ends when it is told to, or once whoever started it is gone. */
import { createInterface } from 'node:readline';
import { closeForeignDescriptors } from './foreign-descriptors.js';

/** `work`: gets what was written by a program of the same version. */
export function answerLine(work: (question: unknown, stop: AbortSignal) => Promise<unknown>): void {
  closeForeignDescriptors();
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const lines = createInterface({ input: process.stdin });
  lines.once('close', () => stopping.abort());
  lines.once('line', (line) => {
    void work(JSON.parse(line), stopping.signal).then((answer) => {
      process.stdout.write(`${JSON.stringify(answer)}\n`);
      lines.close();
    });
  });
}

/** Copies a raw output file of any size into the run directory, redacted on the way, in constant memory. Bytes that are no UTF-8 become U+FFFD. */
import { createReadStream } from 'node:fs';
import { createRedactor } from '../../protocol/redact.js';
import { type WriteOptions, writeFileWith } from './write-file.js';

/** Effects: one file by temp file and rename; a repeat writes the same. Errors: ENOENT where the source is missing. */
export async function copyRedacted(source: string, target: string, options: WriteOptions): Promise<void> {
  await writeFileWith(target, options, async (file) => {
    const redactor = createRedactor();
    // The stream's decoder holds back the half of a character at the end of a chunk.
    for await (const chunk of createReadStream(source, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
      if (typeof chunk === 'string') await file.write(redactor.push(chunk));
    }
    await file.write(redactor.end());
  });
}

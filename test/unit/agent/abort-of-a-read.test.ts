import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readJsonLines } from '../../../activities/agent/events/read-json-lines.js';
import { endingWith } from '../../../config/system/ending-signal.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';

afterEach(removeFolders);

const LINE = `${JSON.stringify({ type: 'text', text: 'x'.repeat(1000) })}\n`;
const LINES = 150_000;
/** More than one block of the reader holds. */
const LINES_OF_A_BLOCK = 300;

describe('a JSON stream of 150 MB', () => {
  it('is read no further than the block in which an abort comes', async () => {
    const path = join(tempFolder(), 'stdout');
    writeFileSync(path, LINE.repeat(LINES));
    const abort = new AbortController();
    const reason = new Error('aborted');
    let seen = 0;

    const reading = endingWith(abort.signal, () =>
      readJsonLines(path, () => {
        seen += 1;
        abort.abort(reason);
      }),
    );

    await expect(reading).rejects.toBe(reason);
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(LINES_OF_A_BLOCK);
  });
});

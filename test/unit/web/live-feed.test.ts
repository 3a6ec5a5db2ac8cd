/** What the agent of a turn says, told to each reader from where it stands: in order, none twice, none missing. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LiveFeed } from '../../../client/http/live-feed.js';
import type { LivePosition } from '../../../client/look/live-text.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { aFoundRun } from './a-found-run.js';

const tempFolder = tempFolders();

function openFeed() {
  const runDir = tempFolder();
  const folder = join(runDir, 'turns', '2-planning');
  mkdirSync(folder, { recursive: true });
  const feed = new LiveFeed('a', 2, { find: async () => aFoundRun('a', { runDir }) });
  return { feed, file: (n: number) => join(folder, n === 1 ? 'live.md' : `live.${n}.md`) };
}

const from = (position: LivePosition | null) => ({ kind: 'live', runId: 'a', turn: 2, position }) as const;

/** All that it is told until the text is there. */
async function readUntil(feed: LiveFeed, position: LivePosition | null, has: string) {
  const next = feed.reader(from(position));
  let text = '';
  let whole = false;
  let at = '';
  await until(() => {
    for (let event = next(); event !== null; event = next()) {
      if (event.topic !== 'live') throw new Error('another topic');
      if (event.whole) text = '';
      whole ||= event.whole;
      text += event.text;
      at = event.position;
    }
    return text.includes(has);
  });
  return { text, whole, at };
}

describe('the live text of a turn', () => {
  it('is told from the beginning, and goes on with what comes', async () => {
    const { feed, file } = openFeed();
    writeFileSync(file(1), 'one ');
    const first = await readUntil(feed, null, 'one');
    appendFileSync(file(1), 'two é\n');

    const then = await readUntil(feed, { file: 1, byte: 4 }, 'two é');

    expect(first).toEqual({ text: 'one ', whole: true, at: '1.4' });
    expect(then).toEqual({ text: 'two é\n', whole: false, at: '1.11' });
    feed.close();
  });

  it('goes on in the next file', async () => {
    const { feed, file } = openFeed();
    writeFileSync(file(1), 'somebody else\n');
    writeFileSync(file(2), 'the agent\n');

    expect(await readUntil(feed, { file: 1, byte: 9 }, 'agent')).toEqual({
      text: 'else\nthe agent\n',
      whole: false,
      at: '2.10',
    });
    feed.close();
  });

  it('is told whole to who stands behind its end', async () => {
    const { feed, file } = openFeed();
    writeFileSync(file(1), 'short\n');
    await readUntil(feed, null, 'short');

    expect(await readUntil(feed, { file: 1, byte: 999 }, 'short')).toMatchObject({ text: 'short\n', whole: true });
    feed.close();
  });

  it('comes in pieces that cut no character', async () => {
    const { feed, file } = openFeed();
    const text = `${'é😀'.repeat(30_000)}end`;
    writeFileSync(file(1), text);

    expect((await readUntil(feed, null, 'end')).text).toBe(text);
    feed.close();
  });
});

/** A folder is looked at when something of it changes, and many changes at once are seen by few looks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { followFolder } from '../../../client/look/follow-folder.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const freshFolder = tempFolders();

describe('a follower of a folder', () => {
  it('sees the last of a thousand changes, and does not look once for each', async () => {
    const dir = freshFolder();
    // A system reports the same change of one file once: it takes two for as many reports as changes.
    const [file, other] = [join(dir, 'text'), join(dir, 'other')];
    writeFileSync(file, '');
    const seen: string[] = [];
    let isReported = false;
    const follower = followFolder(
      dir,
      (name) => {
        isReported ||= name === 'end';
        return name !== 'end';
      },
      async () => void seen.push(readFileSync(file, 'utf8')),
    );
    await follower.readNow();

    for (let n = 1; n <= 1_000; n += 1) {
      writeFileSync(other, '');
      writeFileSync(file, `change ${n}`);
    }
    writeFileSync(join(dir, 'end'), '');
    await until(() => isReported && seen.at(-1) === 'change 1000');
    follower.close();

    expect(seen.length).toBeLessThan(100);
  });
});

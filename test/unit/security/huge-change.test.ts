/** A file that costs an agent nothing and git a quarter of an hour. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openRun, removeFolders, write } from '../git/repository-fixture.js';

const REQUEST = { claimedAt: '2026-11-21T10:00:00Z', subject: 'executing', body: '' };

afterEach(removeFolders);

describe('a change that is too large for a commit', () => {
  it('is refused before git reads it, by the sum of its files, and names the largest', async () => {
    const opened = await openRun({ 'a.txt': 'a\n' });
    for (const [name, bytes] of [['small.bin', 1_000_000_000] as const, ['huge.bin', 100_000_000_000] as const]) {
      writeFileSync(join(opened.worktree, name), '');
      truncateSync(join(opened.worktree, name), bytes);
    }

    const planned = opened.run.plan({ expectedHead: opened.base, ...REQUEST });

    await expect(planned).rejects.toThrow(
      'the change has 101000 MB, the largest file "huge.bin" 100000 MB; a commit takes at most 2000 MB',
    );
    await expect(planned).rejects.toMatchObject({ name: 'WorktreeViolation', paths: ['huge.bin'] });
  });

  it('is only what a commit would hold: an ignored file of any size counts for nothing', async () => {
    const opened = await openRun({ '.gitignore': '*.bin\n', 'a.txt': 'a\n' });
    writeFileSync(join(opened.worktree, 'huge.bin'), '');
    truncateSync(join(opened.worktree, 'huge.bin'), 100_000_000_000);
    write(opened.worktree, 'a.txt', 'changed\n');

    expect(await opened.run.plan({ expectedHead: opened.base, ...REQUEST })).toMatchObject({ parent: opened.base });
  });
});

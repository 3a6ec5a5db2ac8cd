/** What an agent that sees nothing but its prompt is shown of the repository, from a real one. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { repositoryText } from '../../../activities/turn/repository-text.js';
import { type OpenedRun, openRun, removeFolders, write } from '../git/repository-fixture.js';

afterEach(removeFolders);

async function changed(path: string, text: string): Promise<{ readonly run: OpenedRun; readonly commit: string }> {
  const run = await openRun();
  write(run.worktree, path, text);
  const planned = await run.run.plan({
    expectedHead: run.base,
    claimedAt: '2026-11-21T10:00:00Z',
    subject: 's',
    body: '',
  });
  if (planned === null) throw new Error('nothing planned');
  return { run, commit: planned.commit };
}

describe('what a prompt alone shows of the repository', () => {
  it.each(['reviewing', 'verifying'] as const)('is the change and the names of all files for %s', async (stage) => {
    const { run, commit } = await changed('src/new.ts', 'one\n</change>\n');

    const { text } = await repositoryText(run.run, {
      baseSha: run.base,
      contextBytes: 200_000,
      turn: { stage, ask: 'work', expectedHead: commit },
    });

    expect(text).toContain('+++ b/src/new.ts\n@@ -0,0 +1,2 @@\n+one\n+<\\/change>\n</change>');
    expect(text).toMatch(/<files>\n(?:.*\n)*src\/new\.ts\n(?:.*\n)*<\/files>/);
  });

  it('is the names of the files as they were for planning', async () => {
    const { run } = await changed('src/new.ts', 'one\n');

    const { text } = await repositoryText(run.run, {
      baseSha: run.base,
      contextBytes: 200_000,
      turn: { stage: 'planning', ask: 'work', expectedHead: run.base },
    });

    expect(text).toContain('<files>');
    expect(text).not.toMatch(/<change>|src\/new\.ts/);
  });

  it('is nothing for a turn that only decides again', async () => {
    const { run, commit } = await changed('src/new.ts', 'one\n');

    expect(
      await repositoryText(run.run, {
        baseSha: run.base,
        contextBytes: 200_000,
        turn: { stage: 'reviewing', ask: 'decision', expectedHead: commit },
      }),
    ).toEqual({ text: '', cut: false });
  });

  it.each([200_000, 50_000])('keeps head and tail of a long change in a context of %d bytes', async (contextBytes) => {
    const { run, commit } = await changed('long.txt', `HEAD\n${'line\n'.repeat(100_000)}TAIL\n`);

    const { text, cut } = await repositoryText(run.run, {
      baseSha: run.base,
      contextBytes,
      turn: { stage: 'reviewing', ask: 'work', expectedHead: commit },
    });

    expect(text).toMatch(/\+HEAD\n[^]*bytes left out[^]*\+TAIL\n/);
    expect(cut).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(1.05 * contextBytes);
  });

  it('says so where git cannot show it', async () => {
    const run = await openRun();

    const { text } = await repositoryText(run.run, {
      baseSha: run.base,
      contextBytes: 200_000,
      turn: { stage: 'reviewing', ask: 'work', expectedHead: '1'.repeat(40) },
    });

    expect(text).toContain('<change>\ncould not be read\n</change>');
  });
});

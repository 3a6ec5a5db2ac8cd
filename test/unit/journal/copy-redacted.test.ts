import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { copyRedacted, type RedactedCopy } from '../../../activities/journal/copy-redacted.js';
import { createRunProjection } from '../../../activities/journal/projection.js';
import { SHAPES_ONLY } from '../../../protocol/text/value-redactor.js';
import { tempFolders } from '../../support/temp-folder.js';
import { aListener, NO_FAIL } from './journal-builders.js';

const folder = tempFolders();
const SECRET = `ghp_${'a1'.repeat(18)}`;
const MEGABYTES = 1024 * 1024;

describe('the copy of an output', () => {
  it('of 199 MB of nothing takes no room, and what is said before and after stands where it stood, redacted', async () => {
    const { source, target, copy } = aCopy({ maxBytes: 200 * MEGABYTES });
    writeFileSync(source, `said ${SECRET}\n`);
    truncateSync(source, 199 * MEGABYTES);
    writeFileSync(source, `told ${SECRET}\n`, { flag: 'a' });

    await copyRedacted(source, target, copy);

    const text = readFileSync(target, 'latin1');
    expect(text.length).toBeGreaterThanOrEqual(198 * MEGABYTES);
    expect(text.startsWith('said [redacted:github-token]\n\0')).toBe(true);
    expect(text.endsWith('\0told [redacted:github-token]\n')).toBe(true);
    expect(statSync(target).blocks * 512).toBeLessThan(4 * MEGABYTES);
  });

  it('ends at its bound, and is as long as its source where the end is a hole', async () => {
    const { source, target, copy } = aCopy({ maxBytes: 2 * MEGABYTES });
    writeFileSync(source, 'x'.repeat(3 * MEGABYTES));
    await copyRedacted(source, target, copy);
    const cut = statSync(target).size;
    writeFileSync(source, 'x');
    truncateSync(source, 2 * MEGABYTES);

    await copyRedacted(source, target, copy);

    expect([cut, statSync(target).size]).toEqual([2 * MEGABYTES, 2 * MEGABYTES]);
  });

  it.each([
    ['a pipe that nobody fills', (path: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path])],
    ['a link to what has no end', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    ['nothing', () => undefined],
  ])('is not made of %s', async (_what, put) => {
    const { source, target, copy } = aCopy();
    put(source);

    await expect(copyRedacted(source, target, copy)).rejects.toThrow('no regular file');

    expect(existsSync(target)).toBe(false);
  });

  it('ends with an abort at the next block, and leaves nothing', async () => {
    const abort = new AbortController();
    let blocks = 0;
    const push = (text: string) => {
      blocks += 1;
      if (blocks === 2) abort.abort();
      return text;
    };
    const redactor = { ...SHAPES_ONLY, stream: () => ({ push, end: () => '' }) };
    const { root, source, target, copy } = aCopy({ signal: abort.signal, redactor, maxBytes: 100 * MEGABYTES });
    writeFileSync(source, 'x'.repeat(20 * MEGABYTES));

    await expect(copyRedacted(source, target, copy)).rejects.toThrow(/abort/i);

    expect(blocks).toBe(2);
    expect(readdirSync(root)).toEqual(['source']);
  });

  it('that an abort ends is told to nobody as a file that cannot be written', async () => {
    const listener = aListener();
    const projection = createRunProjection({
      repo: folder(),
      runsDir: '.sluice/runs',
      runId: 'run-1',
      ...NO_FAIL,
      ...listener,
    });
    const { source } = aCopy();
    writeFileSync(source, 'said');
    const report = { round: 0, commit: 'c', tree: 't', commands: [], summary: SUMMARY, treeChanged: false, note: null };
    const validation = { report, findings: null, outputs: [{ stdout: source, stderr: source }] };

    await expect(projection.projectValidation(validation, AbortSignal.abort())).rejects.toThrow(/abort/i);

    expect(listener.skips).toEqual([]);
  });
});

const SUMMARY = { passed: 0, failed: 0, skipped: 0, total: 0 } as never;

function aCopy(given: Partial<RedactedCopy> = {}) {
  const root = folder();
  const write = { root, fsync: false };
  return {
    root,
    source: join(root, 'source'),
    target: join(root, 'target'),
    copy: { write, redactor: SHAPES_ONLY, maxBytes: 10 * MEGABYTES, ...given },
  };
}

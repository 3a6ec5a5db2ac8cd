/** Nothing is written outside its root, whatever the path is called and whatever links stand in it. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnsafePathError } from '../../../activities/journal/clear-way.js';
import { createRunProjection } from '../../../activities/journal/projection.js';
import { writeFileAtomic } from '../../../activities/journal/write-file.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { tempFolders } from '../../support/temp-folder.js';

const folder = tempFolders();

/** Parts that lead up, that look as if they did, that other systems read otherwise, and links of the tree below. */
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('..', 'a', 'a/out/..', 'up/..', 'a/out', 'a/file', 'new') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '.',
      '',
      'b',
      '...',
      '.. ',
      '..\u200b',
      '．．',
      '․․',
      'a\\..\\b',
      '.git',
      'é',
      'e\u0301',
      'A',
      'a.',
      '-rf',
      '\n',
      '\0',
      '%2e%2e',
    ),
  },
);
const parts = fc.array(part, { minLength: 1, maxLength: 7 }).map((drawn) => drawn.join('/'));

interface Tree {
  readonly around: string;
  readonly root: string;
}

/** `root` with folders, and links in them that lead out of it and up. */
function aTree(): Tree {
  const around = folder();
  const root = join(around, 'root');
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  mkdirSync(join(around, 'elsewhere', 'deep'), { recursive: true });
  writeFileSync(join(around, 'file'), 'precious');
  writeFileSync(join(around, 'elsewhere', 'file'), 'precious');
  symlinkSync('..', join(root, 'up'));
  symlinkSync('../../elsewhere/deep', join(root, 'a', 'out'));
  symlinkSync(join(around, 'file'), join(root, 'a', 'file'));
  return { around, root };
}

/** All that lies outside the root, with what it holds. */
function outside({ around, root }: Tree): readonly string[] {
  // With types it follows no link; without them it goes round by `up` until the system has enough.
  return readdirSync(around, { recursive: true, withFileTypes: true })
    .map((entry) => relative(around, join(entry.parentPath, entry.name)))
    .filter((path) => path === 'root' || !path.startsWith(`${relative(around, root)}/`))
    .map((path) =>
      lstatSync(join(around, path)).isFile() ? `${path}: ${readFileSync(join(around, path), 'utf8')}` : path,
    )
    .sort();
}

describe('a file of the run directory', () => {
  it('is written below its root or not at all, with and without moving aside what stands in the way', async () => {
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), fc.boolean(), async (path, isJoined, isMoving) => {
        const tree = aTree();
        const before = outside(tree);
        const target = isJoined ? join(tree.root, path) : `${tree.root}/${path}`;
        const aside = isMoving ? { aside: { below: tree.root, tell: () => undefined } } : {};
        const written = await writeFileAtomic(target, 'new', { root: tree.root, fsync: false, ...aside }).then(
          () => true,
          () => false,
        );

        expect(outside(tree)).toEqual(before);
        if (written) expect(readFileSync(join(tree.root, relative(tree.root, target)), 'utf8')).toBe('new');
      }),
      { numRuns: 150 },
    );
  });

  it('is not written by way of a link that the path takes back', async () => {
    const tree = aTree();
    const before = outside(tree);

    await writeFileAtomic(`${tree.root}/a/out/../new`, 'new', { root: tree.root, fsync: false });

    expect(outside(tree)).toEqual(before);
    expect(readFileSync(join(tree.root, 'a', 'new'), 'utf8')).toBe('new');
  });

  it('has a run directory inside the repository, whatever its run and its runs directory are called', () => {
    const name = fc.oneof(
      parts,
      part,
      fc.string({ maxLength: 6 }),
      fc.constantFrom('run-1', 'a.b', 'a..b', '.a', 'a.lock', 'a/b', '/abs'),
    );
    const projection = (runId: string, runsDir: string) =>
      createRunProjection({
        repo: '/repo',
        runsDir,
        runId,
        fsync: false,
        failpoint: noFailpoint,
        outputBytes: 0,
        found: () => undefined,
        skipped: () => undefined,
      }).runDir;

    fc.assert(
      fc.property(name, fc.oneof(name, fc.constant('.sluice/runs')), (runId, runsDir) => {
        let runDir: string;
        try {
          runDir = projection(runId, runsDir);
        } catch (error) {
          expect(error).toBeInstanceOf(UnsafePathError);
          return;
        }
        expect(runDir.startsWith('/repo/')).toBe(true);
        expect(runDir.split('/').filter((one) => one === '..' || one === '.git' || one === '')).toEqual(['']);
        expect(runDir.endsWith(`/${runId}`)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(projection('run-1', '.sluice/runs')).toBe('/repo/.sluice/runs/run-1');
  });
});

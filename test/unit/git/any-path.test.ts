/** Paths that an agent or a config may name: none leads out, none slips past a guard by its letters. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkDiff } from '../../../activities/git/inspect/diff-check.js';
import type { DiffFile } from '../../../activities/git/start/contract.js';
import { assertNoSymlink } from '../../../activities/git/start/no-symlink.js';
import { expandGlobs, resolveInside } from '../../../activities/git/worktree/expand-globs.js';
import { compileGlob } from '../../../config/keys/glob-rule.js';
import { DEFAULT_GUARDED_PATHS } from '../../../config/keys/guarded-paths.js';
import { tempFolder } from '../../support/temp-folder.js';

const around = tempFolder();
const root = join(around, 'root');
mkdirSync(join(root, 'a', 'b'), { recursive: true });
mkdirSync(join(root, '.git'));
mkdirSync(join(around, 'out'));
for (const file of ['a/file', 'a/b/file', '.git/config', '../out/file']) writeFileSync(join(root, file), 'x');
symlinkSync('..', join(root, 'up'));
symlinkSync('../../out', join(root, 'a', 'out'));
symlinkSync('..', join(root, 'a', 'inside'));

const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('..', '.', 'a', 'b', 'up', 'out', 'inside', 'file', '.git') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '.GIT',
      '.gIt',
      '．．',
      '․․',
      '...',
      '.. ',
      'a\\..\\..',
      '\n',
      'é',
      'e\u0301',
      '-rf',
      '~',
      '*',
      '**',
      '!x',
      '{a,..}',
    ),
  },
);
const path = fc
  .tuple(fc.constantFrom('', '', '', '/', './', `${root}/`), fc.array(part, { minLength: 1, maxLength: 6 }))
  .map(([start, parts]) => start + parts.join('/'));

/** Where the path really ends: the real path of the part that exists, and the rest. */
function realEnd(given: string): string {
  try {
    return realpathSync(given);
  } catch {
    const parent = dirname(given);
    return join(realEnd(parent), given.slice(parent.length));
  }
}

function isInside(given: string): boolean {
  return given === root || given.startsWith(root + sep);
}

async function findingsOf(
  file: Partial<DiffFile> & { readonly path: string },
  target = '',
  guarded: readonly string[] = [],
) {
  const whole: DiffFile = { status: 'added', mode: '100644', added: 1, deleted: 0, ...file };
  const addedLines = new Map(
    target === '' ? [] : [[whole.path, target.split('\n').map((text, index) => ({ line: index + 1, text }))]],
  );
  return checkDiff({ worktree: root, diff: { files: [whole], addedLines, patchBytes: 0 }, block: [], guarded });
}

describe('a path that the engine writes to', () => {
  it('is refused, or has no link in it and ends below its root', async () => {
    await fc.assert(
      fc.asyncProperty(path, async (given) => {
        const isFine = await assertNoSymlink(root, given).then(
          () => true,
          () => false,
        );

        if (!isFine) return;
        const end = join(root, given).replace(/\/$/, '');
        expect(isInside(end)).toBe(true);
        expect(realEnd(end)).toBe(end);
      }),
      { numRuns: 400 },
    );
  });

  it.each(['a/b', 'a/new/deep', './a', 'a//b'])('is taken where nothing stands in the way: %s', async (given) => {
    await expect(assertNoSymlink(root, given)).resolves.toBeUndefined();
  });
});

describe('a path of a config', () => {
  it('is made plain, below its root and outside of git, or refused', () => {
    fc.assert(
      fc.property(path, (given) => {
        const plain = resolveInside(given);

        if (plain === null) return;
        expect(join(root, plain).startsWith(`${root}/`)).toBe(true);
        expect(resolveInside(plain)).toBe(plain);
        expect(plain.split('/').filter((one) => ['..', '.', '', '.git'].includes(one.toLowerCase()))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('names every file of a folder that has hundreds of thousands of them', async () => {
    const many = join(around, 'many');
    const folder = join(many, 'node_modules', 'x');
    mkdirSync(folder, { recursive: true });
    for (let n = 0; n < 150_000; n += 1) writeFileSync(join(folder, String(n)), '');

    const { files } = await expandGlobs(many, ['node_modules']);

    expect(files).toHaveLength(150_000);
  });

  it('names only files below its root, and never those of git', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(path, { maxLength: 3 }), async (patterns) => {
        const { files } = await expandGlobs(root, patterns);

        expect(
          files.filter(
            (file) => !isInside(join(root, file)) || file.split('/').some((one) => one === '..' || one === '.git'),
          ),
        ).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a changed path', () => {
  it('that leads out, or into git in any case of its letters, is found', async () => {
    await fc.assert(
      fc.asyncProperty(path, async (given) => {
        const { findings } = await findingsOf({ path: given });

        const isBad =
          given.startsWith('/') || given.split('/').some((one) => one === '..' || one.toLowerCase() === '.git');
        expect(findings.some(({ rule }) => rule === 'outside_path')).toBe(isBad);
      }),
      { numRuns: 200 },
    );
  });

  it('that is a link is found, unless it ends in the worktree and outside of git', async () => {
    const place = fc.constantFrom('link', 'a/link', 'a/b/link', 'new/deep/link');
    await fc.assert(
      fc.asyncProperty(place, path, async (at, target) => {
        const { findings } = await findingsOf({ path: at, mode: '120000' }, target);

        if (findings.length > 0) return;
        const ends = [`${root}/${dirname(at)}/${target}`, join(root, dirname(at), target)].map((end) =>
          realEnd(end.replace(/(?<=.)\/+$/, '')),
        );
        expect(
          ends.filter((end) => !isInside(end) || end.toLowerCase().slice(root.length).split('/').includes('.git')),
        ).toEqual([]);
      }),
      { numRuns: 400 },
    );
  }, 300_000);

  it('that is guarded stays so in any case, with any characters in its free parts', async () => {
    const free = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }),
      fc.constantFrom('a\nb', '\u2028', '\r', '.hidden', '*', '[x]', ' '),
    );
    const name = free
      .map((text) => text.replaceAll('/', '_').replaceAll('\0', '_'))
      .filter((text) => text !== '.' && text !== '..');
    const someCase = fc.func(fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...DEFAULT_GUARDED_PATHS),
        fc.array(name, { minLength: 1, maxLength: 3 }),
        someCase,
        async (glob, names, isUpper) => {
          const deep = names.join('/');
          const oneOf = (_: string, words: string) => words.split(',').at(isUpper(words) ? 0 : -1) ?? '';
          const given = glob
            .replace('**/', isUpper('deep') ? `${deep}/` : '')
            .replace(/\*\*$/, deep)
            .replace(/\{([^{}]*)\}/g, oneOf);
          const cased = given.replace(/[a-z]/g, (char, index: number) => (isUpper(index) ? char.toUpperCase() : char));

          expect((await findingsOf({ path: cased }, '', [glob])).guarded).toEqual([cased]);
        },
      ),
      { numRuns: 120 },
    );
  });
});

describe('a glob', () => {
  it('of any text compiles or is refused by a rule; one that leads up, is absolute or negative is refused', () => {
    const text = fc.oneof(
      path,
      fc.string({ maxLength: 20 }),
      fc
        .array(fc.constantFrom('*', '?', '[', ']', '(', ')', '{', '}', '|', '!', '+', '@', 'a', '/', ',', '\\'), {
          maxLength: 12,
        })
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (glob) => {
        const compiled = compileGlob(glob);

        if (compiled.kind === 'bad') expect(compiled.rule).toMatch(/^m(?:ust|ay) /);
        else {
          expect(
            glob.startsWith('/') || glob.startsWith('!') || glob.includes('\0') || glob.split('/').includes('..'),
          ).toBe(false);
          expect(typeof compiled.value('a/b')).toBe('boolean');
        }
      }),
      { numRuns: 500 },
    );
  });
});

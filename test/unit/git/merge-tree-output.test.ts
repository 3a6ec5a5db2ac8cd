import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMergeTree } from '../../../activities/git/merge/merge-tree-output.js';

const TREE = 'a'.repeat(40);

/** What git takes for a name: any bytes but NUL, as latin1. */
const name = fc
  .array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 300 })
  .map((bytes) => String.fromCharCode(...bytes));
const hostile = fc.oneof(name, fc.constantFrom('1', '2', 'Auto-merging', 'CONFLICT (contents)', '\n', '"', TREE));
const note = fc.record({
  paths: fc.array(hostile, { minLength: 1, maxLength: 4 }),
  type: fc.constantFrom('Auto-merging', 'CONFLICT (contents)', 'CONFLICT (rename/rename)', 'Other'),
  text: fc.oneof(hostile, fc.constant('')),
});

interface Printed {
  readonly conflicted: readonly string[];
  readonly notes: readonly { readonly paths: readonly string[]; readonly type: string; readonly text: string }[];
}

const print = ({ conflicted, notes }: Printed) =>
  [
    TREE,
    ...conflicted,
    '',
    ...notes.flatMap(({ paths, type, text }) => [`${paths.length}`, ...paths, type, text]),
    '',
  ].join('\0');

const printed = fc.record({ conflicted: fc.array(hostile), notes: fc.array(note) });

describe('what merge-tree prints', () => {
  it('is read as it was meant, whatever the names are', () => {
    fc.assert(
      fc.property(printed, ({ conflicted, notes }) => {
        const of = (type: string) => notes.filter((one) => one.type.startsWith(type));

        expect(parseMergeTree(print({ conflicted, notes }))).toEqual({
          tree: TREE,
          conflicted,
          contentMerged: of('Auto-merging').flatMap(({ paths }) => paths),
          complaint: of('CONFLICT')[0]?.text.trim() ?? null,
        });
      }),
    );
  });

  it('that breaks off names all conflicts or is no answer', () => {
    fc.assert(
      fc.property(printed, fc.nat(), (one, seed) => {
        const whole = print(one);
        const read = parseMergeTree(whole.slice(0, seed % whole.length));

        expect(read?.conflicted ?? one.conflicted).toEqual(one.conflicted);
      }),
    );
  });

  it('may end with advice on submodules, where there is a conflict', () => {
    const advice = 'Recursive merging with submodules currently only supports trivial cases.\n';

    expect(parseMergeTree(`${TREE}\0module\0\0${advice}`)?.conflicted).toEqual(['module']);
    expect(parseMergeTree(`${TREE}\0\0${advice}`)).toBeNull();
  });

  it.each([
    '',
    '\0\0',
    'fatal: no\0\0',
    TREE,
    `${TREE}\0`,
    `${TREE}\0a`,
    `${TREE}\0a\0`,
    `${TREE}\0\x000\0t\0m\0`,
    `${TREE}\0\x001\0p\0t\0`,
    `${TREE}\0\x002\0p\0t\0m\0`,
    `${TREE}\0\x00-1\0p\0t\0m\0`,
    `${TREE}\0\x001e1\0p\0t\0m\0`,
    `${TREE}\0\x001\0p\0t\0m\0x`,
    `${TREE}\0\x001\0p\0t\0m\0\0`,
    `${TREE}\0\x009999999999\0p\0t\0m\0`,
  ])('is no answer: %j', (text) => {
    expect(parseMergeTree(text)).toBeNull();
  });

  it('is a tree alone where nothing was merged by lines', () => {
    expect(parseMergeTree(`${TREE}\0\0`)).toEqual({ tree: TREE, conflicted: [], contentMerged: [], complaint: null });
  });
});

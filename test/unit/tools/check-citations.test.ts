import { describe, expect, it } from '@jest/globals';
import { citationsOf, doubledIn, headingsIn, type Known } from '../../../tools/check-citations.js';

const PAGES = new Map([
  ['docs/design.md', ['Design', 'Git', 'Files and journal']],
  ['docs/decisions/0001-guard.md', ['1. The guard']],
  ['docs/decisions', []],
  ['tools/docs.ts', []],
  ['workflows/run/', []],
  ['README.md', ['You in the loop']],
]);
const KNOWN: Known = { rows: new Set(['V-09', 'V-101']), headingsOf: (path) => PAGES.get(path) ?? null };

function faultsIn(text: string, file = 'a.ts'): readonly string[] {
  return citationsOf(file, text, KNOWN).faults;
}

describe('the check of citations', () => {
  it.each([
    ['a comment', '/** Source: V-09, V-102. */'],
    ['a title', "it('V-102, V-09: goes on', () => {})"],
    ['another system', '/** Source: W-10. */'],
  ])('refuses an id that no page has, in %s, and names it once', (_where, text) => {
    const { rows, faults } = citationsOf('a.ts', text, KNOWN);

    expect(rows).toBe(text.split(/[VW]-/).length - 1);
    expect(faults).toEqual([
      expect.stringMatching(/^a\.ts names (V-102|W-10), which no page of docs\/requirements has$/),
    ]);
  });

  it('takes no other name for an id', () => {
    expect(citationsOf('a.ts', 'R-6, SHA-256, UTF-16, V-2026', KNOWN)).toEqual({ rows: 0, pages: 0, faults: [] });
  });

  it('finds ids that two rows have', () => {
    expect(doubledIn(['V-09', 'V-101', 'V-09', 'V-09'])).toEqual(['V-09']);
  });

  it.each([
    '/** Source: docs/design.md "Files and journal". */',
    ' * kept there (docs/design.md "Git"); why: docs/decisions/0001-guard.md.',
    "const page = 'guide/of-somebody.md'; // Source: docs/design.md.",
    "const prompt = 'Read spec/task.md first.';",
    '/** The reader of review.md and AGENTS.md, below turns/<seq>/prompt.md. */',
  ])('takes %j', (text) => {
    expect(faultsIn(text)).toEqual([]);
  });

  it.each([
    [
      'a page that is not there',
      '/** Source: guide/libraries.md. */',
      'a.ts cites guide/libraries.md, which is not in the repository',
    ],
    ['one by its bare name', ' * as design.md says.', 'a.ts cites design.md, which is not in the repository'],
    [
      'a heading that is not there',
      '// Source: docs/design.md "Gits".',
      'a.ts cites docs/design.md "Gits", a heading that the page does not have',
    ],
    [
      'a number for a heading',
      '// docs/design.md section 5',
      'a.ts cites docs/design.md section 5; name the heading, for numbers move',
    ],
    [
      'a design without a page',
      '/** Source: design section 5. */',
      'a.ts cites design section 5 without the path of a page',
    ],
    [
      'a heading without a page',
      '/** Source: spec "File formats" 5. */',
      'a.ts cites spec "File formats" without the path of a page',
    ],
    ['one behind code', 'run(); // the guide, § 4', 'a.ts cites guide, § 4 without the path of a page'],
  ])('refuses %s', (_what, text, fault) => {
    expect(faultsIn(text)).toEqual([fault]);
  });

  it('holds the links and pages of a page', () => {
    const text = [
      '[here](#a-heading), [the design](design.md#files-and-journal), [decisions](decisions), [far](https://a.example/b.md#c)',
      '[gone](gone.md), [lost](design.md#nowhere), see `docs/old.md`',
      '```',
      '# no heading, [no link](nowhere.md)',
      '```',
    ].join('\n');
    const known: Known = {
      ...KNOWN,
      headingsOf: (path) => (path === 'docs/a.md' ? headingsIn('# A heading\n') : KNOWN.headingsOf(path)),
    };

    expect(citationsOf('docs/a.md', text, known)).toEqual({
      rows: 0,
      pages: 6,
      faults: [
        'docs/a.md links to gone.md, which is not in the repository',
        'docs/a.md links to design.md#nowhere, a heading that the page does not have',
        'docs/a.md cites docs/old.md, which is not in the repository',
      ],
    });
  });

  it('refuses a file or folder on a page that is not there, and takes those that are', () => {
    const text =
      'Open `tools/docs.ts`, `tools/gone.ts`, `workflows/run/`, `workflows/gone/` and `workflows/<name>.ts`.';

    expect(faultsIn(text, 'CONTRIBUTING.md')).toEqual([
      'CONTRIBUTING.md names tools/gone.ts, which is not in the repository',
      'CONTRIBUTING.md names workflows/gone/, which is not in the repository',
    ]);
  });

  it.each(['/home/ann/project', '/Users/ann/project', '/tmp/a-clone', '/workspace/notes'])(
    'refuses %s on a page, in its code as well, and in a comment',
    (path) => {
      expect(faultsIn(`Run\n\`\`\`\ncd ${path}\n\`\`\`\n`, 'docs/a.md')).toEqual([
        `docs/a.md names ${path}, a path of some machine`,
      ]);
      expect(faultsIn(`/** As in ${path}. */\nconst sample = '${path}';`)).toEqual([
        `a.ts names ${path}, a path of some machine`,
      ]);
      expect(faultsIn('Below `~/tmp/x`, `$HOME/tmp/x` and `<home>/tmp/x`.', 'docs/a.md')).toEqual([]);
    },
  );

  it('sees headings outside fences, without code marks', () => {
    expect(headingsIn('# A\n## `state.json`\n```\n# none\n```\n### B c\n')).toEqual(['A', 'state.json', 'B c']);
  });
});

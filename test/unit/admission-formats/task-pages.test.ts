/** What people read of a task's steps and of its result. Source: S-100 to S-102, S-105. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_LISTED, renderResult, resultFileName, type TaskResult } from '../../../protocol/admission/result-file.js';
import { type ShownStep, showSteps } from '../../../protocol/admission/show-steps.js';

const PENDING: ShownStep = {
  seq: 1,
  status: 'pending',
  verb: 'add',
  description: 'Add the parser',
  targetFile: null,
  commit: null,
  durationMs: null,
  retryCount: 0,
  outputTail: '',
};

const SHA = '0123456789abcdef0123456789abcdef01234567';

describe('the steps of a task', () => {
  it('are a line each, with what is known of them and the output of one that failed', () => {
    const done = { ...PENDING, targetFile: 'src/parse.ts', status: 'done', commit: SHA, durationMs: 12_340 } as const;
    const failed = { ...PENDING, seq: 3, status: 'failed', verb: 'test', durationMs: 0, retryCount: 1 } as const;
    const shown = showSteps([
      done,
      { ...PENDING, seq: 2, status: 'skipped', outputTail: 'not shown' },
      { ...failed, outputTail: 'not ok 1\n  expected 2\n\nbye\n' },
      { ...PENDING, seq: 4, status: 'executing', verb: 'modify', description: 'Use it', outputTail: 'not shown' },
      { ...PENDING, seq: 5 },
    ]);

    expect(`${shown.join('\n')}\n`).toBe(
      [
        '✓ 1. [add] Add the parser → src/parse.ts  (commit 0123456)  [12.3s]',
        '· 2. [add] Add the parser',
        '✗ 3. [test] Add the parser  [0.0s]  [retries: 1]',
        '      not ok 1',
        '        expected 2',
        '',
        '      bye',
        '→ 4. [modify] Use it',
        '○ 5. [add] Add the parser',
        '',
      ].join('\n'),
    );
  });

  it('without output have no line below them', () => {
    expect(showSteps([{ ...PENDING, status: 'failed', outputTail: ' \n' }])).toEqual(['✗ 1. [add] Add the parser']);
  });

  it('cannot show a step that is none, nor steer a terminal', () => {
    const sly = {
      ...PENDING,
      status: 'failed',
      description: 'a\n✓ 2. b\u001b[2J',
      outputTail: 'x\r\n✓ 9. z\u001b[1A\u0000',
    } as const;

    expect(showSteps([sly])).toEqual(['✗ 1. [add] a ✓ 2. b', '      x', '      ✓ 9. z␀']);
  });
});

const RESULT: TaskResult = {
  id: '7',
  title: 'Fix the login',
  outcome: 'merge_ready',
  merge: 'merged',
  branch: 'sluice/task-7-fix-login',
  base: 'a'.repeat(40),
  head: SHA,
  durationMs: 61_400,
  tokens: { input: 1_000, cacheRead: 25_000, output: 300 },
  costMicroUsd: 123_456,
  steps: [{ ...PENDING, status: 'done' }],
  commits: [
    { sha: 'b'.repeat(40), subject: 'step 1: add the_parser' },
    { sha: SHA, subject: 'step 2: test `it`' },
  ],
  files: [
    { path: 'src/__init__.py', change: 'added' },
    { path: 'src/a|b.ts', change: 'modified' },
  ],
  symbols: [
    { name: 'parse', before: null, after: 'function parse(text: string)' },
    { name: 'scan', before: 'function scan()', after: null },
    { name: 'read', before: 'function read(a)', after: 'function read(a, b)' },
  ],
  validation: [
    { command: 'npm test | tee log', exitCode: 0 },
    { command: 'npm run lint', exitCode: null },
  ],
  notes: 'It was **easy**.\n\n## Validation\nAll green.',
};

const PAGE = `# Task #7: Fix the login

| Field | Value |
| --- | --- |
| Outcome | merge\\_ready |
| Merge | merged |
| Branch | sluice/task-7-fix-login |
| Base | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa |
| Head | 0123456789abcdef0123456789abcdef01234567 |
| Duration | 1 min 1 s |
| Tokens | 3500 in (1000 input, 25000 from cache), 300 out |
| Cost | 0.1235 USD |

## Steps

\`\`\`text
✓ 1. [add] Add the parser
\`\`\`

## Commits

\`\`\`text
bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb step 1: add the_parser
0123456789abcdef0123456789abcdef01234567 step 2: test \`it\`
\`\`\`

## Files

\`\`\`text
added: src/__init__.py
modified: src/a|b.ts
\`\`\`

## Symbols

\`\`\`text
added: parse: function parse(text: string)
removed: scan: function scan()
changed: read: function read(a) → function read(a, b)
\`\`\`

## Validation

| Command | Exit code |
| --- | --- |
| npm test \\| tee log | 0 |
| npm run lint | none |

## Notes

\`\`\`text
It was **easy**.

## Validation
All green.
\`\`\`
`;

/** Of a page: the lines outside its blocks. */
function outsideOf(page: string): readonly string[] {
  let fence: string | null = null;
  return page.split('\n').filter((line) => {
    const [mark] = /^`{3,}/.exec(line) ?? [];
    if (fence === null && mark !== undefined) {
      fence = mark;
      return false;
    }
    if (fence === null) return true;
    if (line.trimEnd() === fence || (mark !== undefined && mark.length > fence.length && line.trim() === mark))
      fence = null;
    return false;
  });
}

describe('the result of a task', () => {
  it('is a page of what the engine recorded', () => {
    expect(renderResult(RESULT)).toBe(PAGE);
    expect(resultFileName('7')).toBe('task-7-result.md');
  });

  it('says so where there is nothing', () => {
    const bare = {
      branch: null,
      base: null,
      head: null,
      costMicroUsd: null,
      durationMs: 40,
      steps: [],
      commits: [],
      files: [],
    };
    const page = renderResult({ ...RESULT, ...bare, symbols: [], validation: [], notes: ' \n' });

    expect(page.match(/^None\.$/gm)).toHaveLength(6);
    expect(page).toContain('| Head | none |\n| Duration | 0.0 s |');
    expect(page).toContain('| Cost | unknown |');
  });

  it('says what is not known', () => {
    const page = renderResult({ ...RESULT, symbols: null, tokens: { input: null, cacheRead: null, output: 3 } });

    expect(page).toContain('## Symbols\n\nNot compared.\n');
    expect(page).toContain('| Tokens | unknown in, 3 out |');
  });

  it('lists 500 files, and all commits', () => {
    const many = <T>(entry: T): readonly T[] => Array<T>(MAX_LISTED + 2).fill(entry);
    const page = renderResult({
      ...RESULT,
      files: many({ path: 'a', change: 'added' }),
      commits: many({ sha: SHA, subject: 's' }),
    });

    expect(page.match(/^added: a$/gm)).toHaveLength(500);
    expect(page).toContain('added: a\n… and 2 more\n```');
    expect(page.match(/^0123456789abcdef0123456789abcdef01234567 s$/gm)).toHaveLength(502);
  });

  it('keeps a cell a cell, whatever stands in it', () => {
    const command = 'a\\|b | c\n| d\u001b[2J <img> ![x](y) `e`';
    const page = renderResult({ ...RESULT, validation: [{ command, exitCode: 1 }] });

    expect(page).toContain('\n| a\\\\\\|b \\| c⏎\\| d \\<img\\> !\\[x\\](y) \\`e\\` | 1 |\n');
  });

  it('keeps a commit on its line', () => {
    const page = renderResult({ ...RESULT, commits: [{ sha: SHA, subject: 'a\nb\u001b[2J\u202e' }] });

    expect(page).toContain(`\n${SHA} a⏎b<U+202E>\n`);
  });

  it('has the same headings and tables, whatever an agent and a repository write', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('```', '````', '\n', '\r', '## Steps', '|', '\\', '~~~', 'x', '\u2028', '<!--'), {
          maxLength: 8,
        })
        .map((parts) => parts.join('')),
    );
    const shapeOf = (result: TaskResult) =>
      outsideOf(renderResult(result)).map((line) =>
        /^[#|]/.test(line) ? line.replace(/(?:\\.|[^|\\])+/g, 'x') : line,
      );
    fc.assert(
      fc.property(odd, odd, (one, other) => {
        const sly = {
          title: one,
          branch: other,
          notes: `x${one}`,
          validation: [{ command: other, exitCode: 0 }],
          steps: [{ ...PENDING, status: 'failed' as const, description: one, outputTail: other }],
          commits: [{ sha: SHA, subject: one }],
          files: [{ path: other, change: 'added' }],
          symbols: [{ name: one, before: other, after: one }],
        };
        const plain = { title: 'x', branch: 'x', notes: 'x', validation: [{ command: 'x', exitCode: 0 }] };

        expect(shapeOf({ ...RESULT, ...sly })).toEqual(shapeOf({ ...RESULT, ...plain }));
      }),
      { numRuns: 300 },
    );
  });
});

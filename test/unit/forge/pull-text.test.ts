/** Title and body of a pull request: what is a person's stays, what is ours is one block, and nothing in it does anything. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pullBody, pullTitle, type ToldRun } from '../../../activities/forge/pull-text.js';

const TOLD: ToldRun = {
  runId: 'run-1',
  task: 'Do it',
  agent: 'robot',
  model: 'model-1',
  rounds: 2,
  verdict: null,
  criteria: [],
  files: ['modified a.txt'],
  guarded: ['.github/workflows/ci.yml'],
  findings: ['one'],
  cost: '$0.10',
  checks: { outcome: 'passed', commit: 'abc' },
  decide: ['sluice land run-1'],
};

const MARKERS = [
  '<!-- sluice begin 00000000 -->\n',
  '<!-- sluice begin 00000000 -->\r\n',
  '<!-- sluice end -->',
  '<!--',
  '-->',
  '```',
  '\n',
  '@team closes #1',
] as const;

/** What somebody writes who knows our markers. */
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...MARKERS), fc.string({ maxLength: 20 })), { maxLength: 12 })
  .map((parts) => parts.join(''));

const told = fc
  .record({ task: hostile, runId: hostile, agent: hostile, findings: fc.array(hostile), files: fc.array(hostile) })
  .map((given): ToldRun => ({ ...TOLD, ...given }));

/** Of a text without a block: ours comes behind it. */
const blockOf = (body: string, before: string) => body.slice(before.length).trimStart();

describe('the body of a pull request', () => {
  it('tells of the run in one block', () => {
    expect(pullBody('', TOLD)).toMatchInlineSnapshot(`
"<!-- sluice begin 5ccccd23 -->
- Run \`run-1\`, agent \`robot\` with \`model-1\`
- Fix rounds: 2; verdict: none; cost: $0.10
- Checks: passed, of \`abc\`

**Task**
\`\`\`text
Do it
\`\`\`

**Guarded files, which steer agents or run by themselves**
\`\`\`text
.github/workflows/ci.yml
\`\`\`

**Files**
\`\`\`text
modified a.txt
\`\`\`

**Findings**
\`\`\`text
one
\`\`\`

**To decide**
\`\`\`text
sluice land run-1
\`\`\`

<!-- sluice end -->"
`);
  });

  it('says nothing twice, whatever the texts of others are', () => {
    fc.assert(
      fc.property(hostile, told, (there, run) => {
        const once = pullBody(there, run);

        expect(pullBody(once, run)).toBe(once);
      }),
    );
  });

  it('takes the place of our last block, and leaves what a person wrote around it byte for byte', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), told, told, (before, after, first, second) => {
        const block = pullBody('', first);

        expect(pullBody(`${before}${block}${after}`, second)).toBe(`${before}${pullBody('', second)}${after}`);
      }),
    );
  });

  it('knows its own block among copies and forged ones before it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...MARKERS), { maxLength: 8 }), told, told, (forged, first, second) => {
        const before = forged.join('');
        const body = `${before}\n${pullBody('', first)}`;

        expect(pullBody(body, second)).toBe(`${before}\n${pullBody('', second)}`);
      }),
    );
  });

  it('is found again after an editor of the web has given it its line ends', () => {
    const body = pullBody('mine', TOLD).replaceAll('\n', '\r\n');

    expect(pullBody(body, { ...TOLD, rounds: 3 }).match(/sluice begin/g)).toHaveLength(1);
  });

  it('ends no fence and holds no comment of HTML by the texts of others', () => {
    fc.assert(
      fc.property(told, (run) => {
        const block = blockOf(pullBody('', run), '');
        const inner = block.split('\n').slice(1, -1).join('\n');
        const fences = inner.split('\n').filter((line) => /^`{3,}(?:text)?$/.test(line));

        expect(inner).not.toMatch(/<!--|-->/);
        expect(openFences(inner)).toBe(0);
        expect(fences.length).toBeGreaterThan(0);
      }),
    );
  });

  it('never says more than the forge takes, and leaves a full one alone', () => {
    const long = { ...TOLD, files: Array.from({ length: 5_000 }, (_, n) => `added ${'x'.repeat(400)}${n}`) };

    expect(pullBody('y'.repeat(60_000), long).length).toBeLessThanOrEqual(65_536);
    expect(pullBody('y'.repeat(60_000), long)).toContain('sluice begin');
    expect(pullBody('y'.repeat(65_536), TOLD)).toBe('y'.repeat(65_536));
  });
});

describe('the title', () => {
  it('is one line of what was asked, and of no more than the forge takes', () => {
    expect(pullTitle('two\nlines')).toBe('two⏎lines');
    expect(pullTitle('x'.repeat(300))).toHaveLength(250);
    expect(pullTitle(`${'x'.repeat(248)}😀😀`)).toBe(`${'x'.repeat(248)}…`);
  });
});

/** As CommonMark counts them: a fence is closed by one of at least its length. */
function openFences(text: string): number {
  let open = '';
  for (const line of text.split('\n')) {
    const fence = /^(`{3,})(text)?$/.exec(line);
    if (fence === null) continue;
    const [, ticks = '', word] = fence;
    if (open === '' && word === 'text') open = ticks;
    else if (open !== '' && word === undefined && ticks.length >= open.length) open = '';
  }
  return open === '' ? 0 : 1;
}

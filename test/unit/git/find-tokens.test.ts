/** Tokens in added lines, however many lines, files and tokens there are. */
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findTokens } from '../../../activities/git/inspect/find-tokens.js';

const TOKEN = `ghp_${'0123456789abcdefABCDEFghijklmnopqrst'}`;
const SHAPE = 'GITHUB_TOKEN';

const linesOf = (text: string) => text.split('\n').map((line, index) => ({ line: index + 1, text: line }));

describe('tokens', () => {
  it.each([
    ['in the first of many lines', `a ${TOKEN}\n${'x = 1\n'.repeat(50_000)}`, 1],
    ['in the last of many lines', `${'x = 1\n'.repeat(50_000)}a ${TOKEN}`, 50_001],
    ['in a line that never ends', `${'x '.repeat(200_000)}${TOKEN}${' x'.repeat(200_000)}`, 1],
    ['over the end of what is looked at together', `${'x '.repeat(16_370)}${TOKEN}${' x'.repeat(9_000)}`, 1],
    ['behind one', `${'x '.repeat(200_000)}\n${TOKEN}`, 2],
  ])('are found %s, once, and by their line', async (_where, text, line) => {
    expect(await findTokens('a.txt', linesOf(text))).toEqual([{ line, shape: SHAPE }]);
  });

  it('are found wherever one stands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 9_000 }), async (before) => {
        const text = `${'x = 1;\n'.repeat(before)}${TOKEN}\n${'y = 2;\n'.repeat(9_000 - before)}`;

        expect(await findTokens('a.txt', linesOf(text))).toEqual([{ line: before + 1, shape: SHAPE }]);
      }),
      { numRuns: 50 },
    );
  });

  it('are named a hundred times at most: for one the change is refused', async () => {
    const found = await findTokens('a.txt', linesOf(`${TOKEN}\n`.repeat(3_000)));

    expect([found.length, found.at(0)?.line, found.at(-1)?.line]).toEqual([100, 1, 100]);
  });

  it('are looked for without a mark of time, which the process would keep', async () => {
    await findTokens('a.txt', linesOf('a'));
    const kept = performance.getEntries().length;
    for (let n = 0; n < 20; n += 1) await findTokens(`a-${n}.txt`, linesOf('a'));

    expect(performance.getEntries()).toHaveLength(kept);
  });
});

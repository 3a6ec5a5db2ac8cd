/**
 * How well layers and guards tell 23 pairs that ask for the same from 15 that do not, and whether the true partner is among the candidates within many others.
 * The pairs and the guards have one author: on other texts expect less. Source: S-13 to S-15, S-17.
 */
import { describe, expect, it } from '@jest/globals';
import { DedupIndex } from '../../../activities/admission/dedup/dedup-index.js';
import { findGuard } from '../../../activities/admission/dedup/guards.js';
import { judgeDuplicate } from '../../../activities/admission/dedup/judge-duplicate.js';
import { normalise } from '../../../activities/admission/dedup/normalise.js';
import { LAYERS } from '../../../protocol/run/dedup-policy.js';
import { DIFFERENT, DUPLICATES, type TaskPair } from './task-pairs.js';
import { taskTexts } from './task-texts.js';

const ALL = [...DUPLICATES, ...DIFFERENT];
/** The others are of the same product: half of what they write of are words of the pairs. */
const ABOUT = [...new Set(ALL.flatMap(({ oldText }) => normalise(oldText).split(' ')))].filter(
  (word) => word.length > 3,
);

/** An index with the old text of each pair among others. */
function indexAmong(others: readonly string[], pairs: readonly TaskPair[] = ALL): DedupIndex {
  const index = new DedupIndex();
  const texts = new Map(others.map((text, at) => [`other ${at}`, text]));
  const step = Math.max(1, Math.floor(others.length / (pairs.length + 1)));
  const places = new Map(pairs.map(({ oldText }, at) => [at * step, oldText]));
  let at = 0;
  for (const [id, text] of texts) {
    const oldText = places.get(at);
    if (oldText !== undefined) index.add(oldText, oldText);
    index.add(id, text);
    at += 1;
  }
  return index;
}

function judge(index: DedupIndex, { newText, oldText }: TaskPair, onHit: 'judge' | 'block') {
  return judgeDuplicate({
    comparison: index.compare(newText),
    onHit,
    guardOf: (id) => (id === oldText ? findGuard(newText, oldText) : 'other'),
    isEqual: (id) => normalise(id) === normalise(newText),
    mayBlock: () => true,
  });
}

describe('pairs of tasks', () => {
  const others = taskTexts(1000, { bytes: 150, isMixed: true, about: ABOUT });
  const index = indexAmong(others);

  it.each(['judge', 'block'] as const)('with a guard are never blocked under %s', (onHit) => {
    const guarded = ALL.filter(({ newText, oldText }) => findGuard(newText, oldText) !== null);

    expect(guarded.filter((pair) => judge(index, pair, onHit).kind === 'blocked')).toEqual([]);
    expect(DIFFERENT.filter((pair) => !guarded.includes(pair))).toEqual([]);
  });

  it.each([
    [1000, 150, 20],
    [1000, 600, 20],
    [10_000, 150, 18],
  ])(
    'have their partner among the candidates: within %d texts of %d bytes for %d of 23 at least',
    (count, bytes, least) => {
      const among = indexAmong(taskTexts(count, { bytes, isMixed: true, seed: 3, about: ABOUT }));
      const found = DUPLICATES.filter(({ newText, oldText }) => among.compare(newText).candidates().includes(oldText));
      process.stdout.write(`partner among 5 candidates, ${count} texts of ${bytes} bytes: ${found.length} of 23\n`);

      expect(found.length).toBeGreaterThanOrEqual(least);
    },
  );

  it('are told apart better with guards than without', () => {
    const isHit = (pair: TaskPair, layers: readonly (typeof LAYERS)[number][]) => {
      const comparison = index.compare(pair.newText);
      return layers.some((layer) => comparison.hitsOf(layer).some(({ id }) => id === pair.oldText));
    };
    const hasNoGuard = ({ newText, oldText }: TaskPair) => findGuard(newText, oldText) === null;
    const rows = [...LAYERS.map((layer) => [layer]), [...LAYERS]].map((layers) => {
      const right = DUPLICATES.filter((pair) => isHit(pair, layers));
      const wrong = DIFFERENT.filter((pair) => isHit(pair, layers));
      const [free, freeWrong] = [right.filter(hasNoGuard), wrong.filter(hasNoGuard)];
      return { layers: layers.length === 1 ? layers.join() : 'all four', right, wrong, free, freeWrong };
    });
    const percent = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(2));
    for (const { layers, right, wrong, free, freeWrong } of rows)
      process.stdout.write(
        `${layers}: precision ${percent(right.length, right.length + wrong.length)}, recall ${percent(right.length, 23)}; with guards ${percent(free.length, free.length + freeWrong.length)}, ${percent(free.length, 23)} (Skep: 0.47, 0.35)\n`,
      );
    const all = rows.at(-1);

    expect(all?.freeWrong).toEqual([]);
    expect(all?.free.length).toBeGreaterThanOrEqual(9);
  });
});

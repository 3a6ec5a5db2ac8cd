/** The index against the formulas: any texts, added and removed in any order. Source: S-08, S-10, S-17. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DedupIndex } from '../../../activities/admission/dedup/dedup-index.js';
import { LAYERS, type Layer, type Thresholds } from '../../../protocol/run/dedup-policy.js';
import { slowScores } from './slow-layers.js';
import { taskTexts } from './task-texts.js';

const LOWEST: Thresholds = { keyword: 1e-12, trigram: 1e-12, tfidf: 1e-12, minhash: 1e-12 };
const ODD_TEXTS = [
  '',
  'word',
  'x',
  '## --- ***\n> `` ~~',
  'same '.repeat(5000),
  '登录页面出现错误',
  '登录页面出现错误。请修复',
  '修复 登录 页面',
  'Größe der Übersicht ändern',
  'groesse der uebersicht aendern',
  'GRÖSSE DER ÜBERSICHT ÄNDERN',
  'ﬁx the ﬁle',
  'fix the file',
  '𝒜𝒷 𠀀𠀁𠀂 𠀀',
  '𠀀𠀁𠀂',
];
const WORDS = ['fix', 'login', 'page', 'the', 'a', 'retry', 'to', 'cache', '42', 'größe', '登录', '𠀀𠀁', '--', 'C++'];

const aText = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' ')) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);

interface Stored {
  readonly id: string;
  readonly text: string;
}

/** What the index must say: the five best of each layer, of equal ones the older. */
function slowHits(stored: readonly Stored[], text: string, thresholds: Thresholds) {
  const scores = slowScores(
    text,
    stored.map((one) => one.text),
  );
  const best = (layer: Layer | 'bm25', least: number) =>
    stored
      .map(({ id }, at) => ({ id, score: Math.round((scores[at]?.[layer] ?? 0) * 1e12) / 1e12 }))
      .filter(({ score }) => score > 0 && score >= least)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, 5);
  return { best, hits: (layer: Layer) => best(layer, thresholds[layer]) };
}

function expectSame(index: DedupIndex, stored: readonly Stored[], text: string, thresholds = LOWEST) {
  const comparison = index.compare(text, thresholds);
  const slow = slowHits(stored, text, thresholds);
  for (const layer of LAYERS) {
    const hits = comparison.hitsOf(layer);
    const expected = slow.hits(layer);
    expect([layer, hits.map(({ id }) => id)]).toEqual([layer, expected.map(({ id }) => id)]);
    for (const [at, hit] of hits.entries()) expect(Math.abs(hit.score - (expected[at]?.score ?? 0))).toBeLessThan(1e-9);
  }
}

describe('the layers', () => {
  it('score as the formulas do, whatever was added and removed before', () => {
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), text: aText }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(50) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('compare' as const), text: aText }) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), aText, (actions, text) => {
        const index = new DedupIndex();
        let stored: readonly Stored[] = [];
        for (const [at, one] of actions.entries()) {
          if (one.kind === 'add') {
            index.add(String(at), one.text);
            stored = [...stored, { id: String(at), text: one.text }];
          } else if (one.kind === 'compare') expectSame(index, stored, one.text);
          else if (stored.length > 0) {
            const id = stored[one.at % stored.length]?.id ?? '';
            expect(index.remove(id)).toBe(true);
            stored = stored.filter((other) => other.id !== id);
          }
        }
        expect(index.size).toBe(stored.length);
        expectSame(index, stored, text);
      }),
      { numRuns: 150 },
    );
  });

  it('score real texts as the formulas do, also after most were removed and their places given back', () => {
    const texts = taskTexts(400, { bytes: 300, isMixed: true });
    const near = texts.map((text) => `${text.slice(0, 200)} ${texts[3]?.slice(0, 60)}`);
    const index = new DedupIndex();
    let stored = texts.map((text, at) => ({ id: String(at), text }));
    for (const { id, text } of stored) index.add(id, text);
    for (const at of [0, 150, 399]) expectSame(index, stored, near[at] ?? '');
    for (const { id } of stored) if (Number(id) % 3 !== 0) index.remove(id);
    stored = stored.filter(({ id }) => Number(id) % 3 === 0);
    for (const { text } of ODD_TEXTS.map((one) => ({ text: one }))) {
      index.add(`odd ${text.slice(0, 20)} ${stored.length}`, text);
      stored = [...stored, { id: `odd ${text.slice(0, 20)} ${stored.length}`, text }];
    }

    for (const at of [0, 150, 399]) expectSame(index, stored, near[at] ?? '');
    for (const text of ODD_TEXTS) expectSame(index, stored, text);
  });

  it.each([17, 18, 19, 20])(
    'score as the formulas do beside %d others: from 20 texts on with the new one, rare tokens weigh more',
    (count) => {
      const stored = taskTexts(count, { bytes: 80 }).map((text, at) => ({ id: String(at), text }));
      const index = new DedupIndex();
      for (const { id, text } of stored) index.add(id, text);

      expectSame(index, stored, `${stored[3]?.text.slice(0, 60)} again`);
    },
  );

  it('hit exactly at a threshold, and not above it', () => {
    const texts = taskTexts(60, { bytes: 200 });
    const stored = texts.map((text, at) => ({ id: String(at), text }));
    const index = new DedupIndex();
    for (const { id, text } of stored) index.add(id, text);
    const text = `${texts[7]?.slice(0, 170)} and more`;
    const [score] = slowScores(text, texts).slice(7, 8);

    for (const layer of LAYERS) {
      const at = score?.[layer] ?? 0;
      expect(at).toBeGreaterThan(0.5);
      expect(index.compare(text, { ...LOWEST, [layer]: at }).hitsOf(layer)[0]?.id).toBe('7');
      expect(index.compare(text, { ...LOWEST, [layer]: at + 1e-9 }).hitsOf(layer)).toEqual([]);
    }
  });

  it('take two of equal score as equal: the older task is first, in whatever order its words stand', () => {
    const index = new DedupIndex();
    for (const text of taskTexts(40, { bytes: 200 })) index.add(text, text);
    const words = [
      ...new Set(
        taskTexts(1, { bytes: 500 })
          .join()
          .toLowerCase()
          .match(/[a-z]{2,}/g),
      ),
    ];
    for (const at of words.keys()) index.add(`b${at}`, [...words.slice(at), ...words.slice(0, at)].join(' '));

    for (const layer of ['keyword', 'tfidf'] as const)
      expect(
        index
          .compare(words.toReversed().join(' '))
          .hitsOf(layer)
          .map(({ id }) => id),
      ).toEqual(['b0', 'b1', 'b2', 'b3', 'b4']);
  });

  it('score no token at all 0', () => {
    const index = new DedupIndex();
    for (const [at, text] of ['', '***', '## x', '## x'].entries()) index.add(String(at), text);

    for (const layer of LAYERS) expect(index.compare('--- !!', LOWEST).hitsOf(layer)).toEqual([]);
    expect(index.compare('', LOWEST).candidates()).toEqual([]);
    expect(index.compare('x', LOWEST).hitsOf('minhash')).toEqual([]);
    expect(index.compare('x', LOWEST).hitsOf('trigram')).toMatchObject([
      { id: '2', score: 1 },
      { id: '3', score: 1 },
    ]);
  });
});

describe('an index', () => {
  it('gives hits first as candidates, then the best by BM25 and by trigram in turn, five in all', () => {
    const texts = taskTexts(300, { bytes: 150 });
    const stored = texts.map((text, at) => ({ id: String(at), text }));
    const index = new DedupIndex();
    for (const { id, text } of stored) index.add(id, text);
    for (const text of taskTexts(20, { bytes: 150, seed: 5 })) {
      const { best } = slowHits(stored, text, LOWEST);
      const [byKeyword, byTrigram] = [best('bm25', 0), best('trigram', 0)];
      const inTurn = byKeyword.flatMap(({ id }, at) => [id, byTrigram[at]?.id ?? '']);

      const alone = index.compare(text);
      expect(LAYERS.flatMap((layer) => alone.hitsOf(layer))).toEqual([]);
      expect(alone.candidates()).toEqual([...new Set(inTurn)].slice(0, 5));
    }
    const copy = `${texts[9]} again`;
    expect(index.compare(copy).candidates()[0]).toBe('9');
    expect(index.compare(copy).candidates()).toHaveLength(5);
  });

  it('knows what it has, and refuses an id twice and a comparison from before a change', () => {
    const index = new DedupIndex();
    index.add('1', 'fix the login page');
    const before = index.compare('fix login');

    expect(() => index.add('1', 'other')).toThrow('task 1 is in the index');
    expect([index.size, index.has('1'), index.has('2'), index.remove('2')]).toEqual([1, true, false, false]);
    expect(before.hitsOf('keyword')).toEqual([]);
    index.add('2', 'fix login');
    expect(() => before.hitsOf('keyword')).toThrow('since this comparison');
  });

  it('takes 60 MB for 10 000 texts of 600 bytes at most, and gives most of it back to those that come after', () => {
    const index = new DedupIndex();
    const texts = taskTexts(2500, { bytes: 600, isMixed: true });
    for (const round of [0, 1, 2, 3])
      for (const [at, text] of texts.entries()) index.add(`${round} ${at}`, `${round} ${text}`);
    const { bytes } = index;
    for (const [at, text] of texts.entries()) {
      index.remove(`0 ${at}`);
      index.add(`4 ${at}`, `4 ${text}`);
    }

    expect(bytes).toBeLessThan(60e6);
    expect(index.bytes).toBeLessThan(bytes * 1.3);
  });
});

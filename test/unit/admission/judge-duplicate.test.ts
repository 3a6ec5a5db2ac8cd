/** What the hits of the layers mean under `judge` and under `block`. Source: S-09, S-12 to S-15. */
import { describe, expect, it } from '@jest/globals';
import { type Comparison, DedupIndex } from '../../../activities/admission/dedup/dedup-index.js';
import { findGuard } from '../../../activities/admission/dedup/guards.js';
import { type JudgeInput, judgeDuplicate } from '../../../activities/admission/dedup/judge-duplicate.js';
import { normalise } from '../../../activities/admission/dedup/normalise.js';
import type { Layer } from '../../../protocol/run/dedup-policy.js';
import { taskTexts } from './task-texts.js';

type Hits = Partial<Record<Layer, readonly (readonly [id: string, score: number])[]>>;

function aComparison(hits: Hits): Comparison & { readonly ran: Layer[] } {
  const ran: Layer[] = [];
  return {
    ran,
    hitsOf: (layer) => {
      ran.push(layer);
      return (hits[layer] ?? []).map(([id, score]) => ({ layer, id, score }));
    },
    candidates: () => ['7'],
  };
}

function anInput(over: Partial<JudgeInput>): JudgeInput {
  return {
    comparison: aComparison({}),
    onHit: 'judge',
    guardOf: () => null,
    isEqual: () => false,
    mayBlock: () => true,
    ...over,
  };
}

describe('under block', () => {
  it('the first layer that hits ends it: those behind it do not run', () => {
    const comparison = aComparison({ trigram: [['1', 0.6]], minhash: [['2', 0.9]] });

    expect(judgeDuplicate(anInput({ comparison, onHit: 'block' }))).toEqual({
      kind: 'blocked',
      hit: { layer: 'trigram', id: '1', score: 0.6, guard: null, mayBlock: true },
      passes: [
        { layer: 'keyword', hit: null },
        { layer: 'trigram', hit: { layer: 'trigram', id: '1', score: 0.6, guard: null, mayBlock: true } },
      ],
    });
    expect(comparison.ran).toEqual(['keyword', 'trigram']);
  });

  it('a hit with a guard lets the next one block, of the same layer or of one behind it', () => {
    const guardOf = (id: string) => (id === '1' ? 'antonym add/remove' : null);
    const sameLayer = aComparison({
      keyword: [
        ['1', 1],
        ['2', 0.9],
      ],
    });
    const nextLayer = aComparison({ keyword: [['1', 1]], tfidf: [['3', 0.7]] });

    expect(judgeDuplicate(anInput({ comparison: sameLayer, onHit: 'block', guardOf }))).toMatchObject({
      kind: 'blocked',
      hit: { id: '2', layer: 'keyword' },
    });
    expect(judgeDuplicate(anInput({ comparison: nextLayer, onHit: 'block', guardOf }))).toMatchObject({
      kind: 'blocked',
      hit: { id: '3', layer: 'tfidf' },
      passes: [{ hit: { id: '1', guard: 'antonym add/remove' } }, {}, { hit: { id: '3' } }],
    });
  });

  it('guarded and merged tasks stay possible duplicates, each told of once', () => {
    const comparison = aComparison({
      keyword: [
        ['1', 1],
        ['2', 0.9],
      ],
      minhash: [['1', 0.9]],
    });
    const guardOf = (id: string) => (id === '1' ? 'number 3/5' : null);

    expect(
      judgeDuplicate(anInput({ comparison, onHit: 'block', guardOf, mayBlock: (id) => id !== '2' })),
    ).toMatchObject({
      kind: 'possible',
      hits: [
        { id: '1', layer: 'keyword', guard: 'number 3/5' },
        { id: '2', mayBlock: false },
      ],
      candidates: ['7'],
      passes: [{}, {}, {}, { layer: 'minhash' }],
    });
  });
});

describe('under judge', () => {
  it('all layers run, and MinHash or equal text blocks while the others do not', () => {
    const others = aComparison({ keyword: [['1', 1]], trigram: [['1', 0.9]], tfidf: [['1', 0.9]] });
    const minhash = aComparison({ keyword: [['1', 1]], minhash: [['2', 0.7]] });

    expect(judgeDuplicate(anInput({ comparison: others }))).toMatchObject({ kind: 'possible', hits: [{ id: '1' }] });
    expect(others.ran).toEqual(['keyword', 'trigram', 'tfidf', 'minhash']);
    expect(judgeDuplicate(anInput({ comparison: minhash }))).toMatchObject({ kind: 'blocked', hit: { id: '2' } });
    expect(judgeDuplicate(anInput({ comparison: others, isEqual: (id) => id === '1' }))).toMatchObject({
      kind: 'blocked',
      hit: { id: '1', layer: 'keyword' },
      passes: [{}, {}, {}, {}],
    });
  });

  it('neither blocks with a guard, nor where the task is merged', () => {
    const comparison = aComparison({ keyword: [['1', 1]], minhash: [['1', 1]] });

    for (const over of [{ guardOf: () => 'sign >/<' }, { mayBlock: () => false }])
      expect(judgeDuplicate(anInput({ comparison, isEqual: () => true, ...over })).kind).toBe('possible');
    expect(judgeDuplicate(anInput({}))).toMatchObject({ kind: 'clear', candidates: ['7'] });
  });
});

describe('over an index', () => {
  const stored = ['enable the audit log', 'fail if x > 5', 'move rows from A to B', ...taskTexts(30, { bytes: 100 })];
  const judge = (text: string, onHit: 'judge' | 'block', merged: readonly string[] = []) => {
    const index = new DedupIndex();
    for (const one of stored) index.add(one, one);
    return judgeDuplicate({
      comparison: index.compare(text),
      onHit,
      guardOf: (id) => findGuard(text, id),
      isEqual: (id) => normalise(id) === normalise(text),
      mayBlock: (id) => !merged.includes(id),
    });
  };

  it.each(['disable the audit log', 'fail if x < 5', 'move rows from B to A'])(
    '%j is not blocked by its opposite',
    (text) => {
      expect(judge(text, 'block').kind).toBe('possible');
      expect(judge(text, 'judge').kind).toBe('possible');
    },
  );

  it('the same text in other dress is blocked, unless that task is merged', () => {
    const text = '**Enable** the audit-log!';

    for (const onHit of ['block', 'judge'] as const) {
      expect(judge(text, onHit)).toMatchObject({ kind: 'blocked', hit: { id: stored[0], layer: 'keyword', score: 1 } });
      expect(judge(text, onHit, stored).kind).toBe('possible');
    }
  });

  it('the same reworded is blocked or not as the preset says', () => {
    const text = 'the audit log: enable it';

    expect(judge(text, 'block').kind).toBe('blocked');
    expect(judge(text, 'judge').kind).toBe('possible');
  });
});

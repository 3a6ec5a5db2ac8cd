/** What an agent that is asked about the tasks which a new one resembles may decide, and what it may not. Source: S-09, S-13, S-16, S-17, S-49. */
import { describe, expect, it } from '@jest/globals';
import type { Resemblance } from '../../../protocol/admission/duplicate-answer.js';
import type { AdmissionOrder } from '../../../protocol/run/admission-policy.js';
import type { AskEnd, ItemErrand, ItemEvent, ItemState } from '../../../workflows/item/item-state.js';
import { ITEM_RULES, newItem } from '../../../workflows/item/item-table.js';
import { viewOf } from '../../../workflows/item/item-view.js';
import { anItemInput } from '../../support/an-item.js';
import { newestOf } from '../../support/newest-rules.js';
import { stubComparison } from '../../support/stub-admit.js';
import { askedOf, stubAsk } from '../../support/stub-ask.js';

const NOW = Date.parse('2026-11-27T10:00:00.000Z');
const RULES = newestOf(ITEM_RULES);

const PASS = { ...stubComparison().pass, candidates: ['1', '2'] };
const RESEMBLES = stubComparison({ possible: [{ id: '1', isMerged: false }], pass: PASS });

class Heard {
  readonly errands: ItemErrand[] = [];

  constructor(public state: ItemState) {}

  hears(...events: readonly ItemEvent[]): this {
    for (const event of events) {
      const step = RULES.after(this.state, event, NOW);
      this.state = step.state;
      this.errands.push(...step.errands);
    }
    return this;
  }

  get asked() {
    return this.errands.flatMap((errand) =>
      errand.kind === 'ask' ? [`${errand.ask} ${errand.candidates.join()}`.trim()] : [],
    );
  }

  get at() {
    return { state: this.state.state, reason: this.state.reason };
  }

  /** Of the lines about how it was compared, the last. */
  get said() {
    return this.state.journal.filter(({ driver }) => driver === 'dedup').at(-1)?.note;
  }
}

const WHOLE: AdmissionOrder = [['dedup'], ['classify', 'plan']];

function admitting(order: AdmissionOrder = WHOLE, input: Parameters<typeof anItemInput>[0] = {}): Heard {
  const admission = askedOf({ order, comparesAgain: true });
  return new Heard(newItem(anItemInput({ id: '3', admission, dedup: RESEMBLES, ...input }))).hears({ kind: 'begin' });
}

type Standing = Extract<AskEnd, { kind: 'answered' }>['standing'];

function says(resemblance: Partial<Resemblance>, standing: Standing = null, pass = 0): ItemEvent {
  const answer = { ask: 'dedup', resemblance: { of: null, reason: 'other words', ...resemblance } } as const;
  return { kind: 'askEnded', ask: 'dedup', pass, end: { kind: 'answered', answer, standing } };
}

function answered(ask: 'classify' | 'plan', pass: number, part = {}): ItemEvent {
  const { answer } = stubAsk({ ask }, part);
  if (answer === null) throw new Error('no answer');
  return { kind: 'askEnded', ask, pass, end: { kind: 'answered', answer, standing: null } };
}

describe('a task that resembles others', () => {
  it('S-09: is asked about before anything else is, with whom it resembles', () => {
    const item = admitting();

    expect(item.at).toEqual({ state: 'admitting', reason: 'dedup' });
    expect(item.asked).toEqual(['dedup 1,2']);
  });

  it('S-17: is closed as a duplicate of one that is open, and asked nothing more', () => {
    const item = admitting().hears(says({ of: '2', reason: 'the same in other words' }, 'open'));

    expect(item.at).toEqual({ state: 'closed', reason: 'duplicate' });
    expect(viewOf(item.state)).toMatchObject({
      why: 'near-duplicate of task #2 (asked: the same in other words)',
      admission: { duplicateOf: '2' },
    });
    expect(item.asked).toHaveLength(1);
  });

  it('S-13: is taken in without a doubt where the agent says that it is none of them', () => {
    const item = admitting().hears(says({}));

    expect(item.asked).toEqual(['dedup 1,2', 'classify', 'plan']);
    expect(item.hears(answered('classify', 0), answered('plan', 0)).at).toEqual({ state: 'gated', reason: 'plan' });
    expect(item.said).toBe('asked about 1, 2: none of them; other words');
  });

  it('S-12, S-13: keeps its doubts about another where the one that it is taken for has closed', () => {
    const item = admitting([['dedup']]).hears(says({ of: '2' }, 'closed'));

    expect(viewOf(item.state)).toMatchObject({ state: 'gated', why: 'it may be the same as 1' });
  });

  it('S-13: keeps its doubts about those that the agent was not shown', () => {
    const dedup = { ...RESEMBLES, possible: [...RESEMBLES.possible, { id: '9', isMerged: false }] };
    const item = admitting([['dedup']], { dedup }).hears(says({}));

    expect(item.at).toEqual({ state: 'gated', reason: 'possible_duplicate' });
    expect(viewOf(item.state).why).toBe('it may be the same as 9');
  });

  it('S-13, S-17: is taken in with its doubts where nobody answered, whatever that was', () => {
    const end = { kind: 'failed', why: 'it took longer than 60 s' } as const;
    const item = admitting().hears({ kind: 'askEnded', ask: 'dedup', pass: 0, end });

    expect(item.said).toBe('asked about 1, 2: no answer (it took longer than 60 s); it counts as none of them');
    item.hears(answered('classify', 0), answered('plan', 0));
    expect(item.at).toEqual({ state: 'gated', reason: 'possible_duplicate' });
    expect(viewOf(item.state).why).toContain('it may be the same as 1');
  });

  it.each([
    ['closed', 'queued', null],
    ['merged', 'gated', 'possible_duplicate'],
    [null, 'gated', 'possible_duplicate'],
  ] as const)('S-12: is no duplicate of a task that is %s by now: %s', (standing, state, reason) => {
    const item = admitting([['dedup']]).hears(says({ of: '1' }, standing));

    expect(item.at).toEqual({ state, reason });
  });

  it('is asked nothing where it is like nothing, and starts where nothing else is asked', () => {
    const alone = { dedup: stubComparison() };

    expect(admitting(WHOLE, alone).asked).toEqual(['classify', 'plan']);
    const item = admitting([['dedup']], alone);
    expect([item.at.state, item.asked]).toEqual(['queued', []]);
  });

  it('S-16: is asked nothing where somebody took it up again', () => {
    const again = { key: 'k', runs: 0, by: 'ann', note: null, at: '2026-11-27T10:00:00.000Z', force: true as const };

    expect(admitting(WHOLE, { again }).asked).toEqual(['classify', 'plan']);
  });

  it('goes on where it was stopped, without being asked twice', () => {
    const item = admitting([['dedup']]);
    item.hears({ kind: 'stop', by: 'ann', note: null }, { kind: 'run', by: 'ann', note: null });

    expect(item.asked).toEqual(['dedup 1,2', 'dedup 1,2']);
    item.hears(says({}, null, 1));
    expect(item.at.state).toBe('queued');
  });
});

describe('S-49: a task whose questions were answered', () => {
  const clarified = () =>
    admitting().hears(says({}), answered('classify', 0, { questions: ['which?'] }), {
      kind: 'answer',
      by: 'ann',
      note: null,
      round: 1,
      answers: ['the left one'],
    });

  it('is compared again with the answers, and asked about whom it resembles by then', () => {
    const item = clarified();

    expect(item.errands.filter(({ kind }) => kind === 'compareAgain')).toMatchObject([
      { pass: 1, rounds: [{ answers: ['the left one'] }] },
    ]);
    expect(item.asked).toEqual(['dedup 1,2', 'classify', 'plan']);
    const found = stubComparison({ pass: { ...PASS, candidates: ['7'] } });
    item.hears({ kind: 'comparedAgain', pass: 1, found });
    expect(item.asked.at(-1)).toBe('dedup 7');
    expect(item.said).toContain('compared again: ');
  });

  it('is not closed any more, but waits for a person who looks at both', () => {
    const item = clarified();
    item.hears({ kind: 'comparedAgain', pass: 1, found: stubComparison({ pass: PASS }) });
    item.hears(says({ of: '2' }, 'open', 1), answered('classify', 1), answered('plan', 1));

    expect(item.at).toEqual({ state: 'gated', reason: 'possible_duplicate' });
    expect(viewOf(item.state).why).toContain('it may be the same as 2');
  });

  it('is not held up by a comparison that fails, nor by one that is late', () => {
    const item = clarified().hears({ kind: 'comparedAgain', pass: 1, found: { why: 'the disk is full' } });

    expect(item.asked.at(-1)).toBe('dedup 1,2');
    expect(item.said).toBe('it could not be compared again: the disk is full');
    const before = item.asked.length;
    item.hears({ kind: 'comparedAgain', pass: 1, found: stubComparison() });
    item.hears({ kind: 'comparedAgain', pass: 0, found: stubComparison() });
    expect(item.asked).toHaveLength(before);
  });
});

/** What is read of an agent that says whether a task is there already: any text of it leads to a candidate, to none, or to a reason. Source: S-17. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readResemblance } from '../../../protocol/admission/duplicate-answer.js';
import { findAnswer, NOT_MEANT } from '../../../protocol/admission/find-json.js';

const CANDIDATES = ['3', '12'];
const said = (value: unknown) => readResemblance(value, CANDIDATES);

describe('S-17: the answer about duplicates', () => {
  it.each([
    [
      { duplicate: true, duplicate_of: 12, reason: 'same' },
      { of: '12', reason: 'same' },
    ],
    [
      { duplicate: true, duplicate_of: '3', reason: 'same' },
      { of: '3', reason: 'same' },
    ],
    [
      { duplicate: false, duplicate_of: null, reason: 'other' },
      { of: null, reason: 'other' },
    ],
    [
      { duplicate: false, duplicate_of: 12, reason: 'other' },
      { of: null, reason: 'other' },
    ],
  ])('%j is %j', (value, expected) => {
    expect(said(value)).toEqual(expected);
  });

  it.each([
    [
      { duplicate: true, duplicate_of: 4, reason: 'same' },
      'duplicate_of is 4; it must be the number of a task that was shown: 3, 12',
    ],
    [{ duplicate: true, duplicate_of: null, reason: 'same' }, 'duplicate_of is missing'],
    [{ duplicate: true, duplicate_of: { id: 3 }, reason: 'same' }, 'duplicate_of is an object'],
    [{ duplicate: true, duplicate_of: { toString: 1, valueOf: 1 }, reason: 'same' }, 'duplicate_of is an object'],
    [{ duplicate: true, duplicate_of: ['3'], reason: 'same' }, 'duplicate_of is a list'],
    [{ duplicate: 'yes', duplicate_of: 3, reason: 'same' }, 'duplicate is "yes"; it must be true or false'],
    [{ duplicate: true, duplicate_of: 3, reason: ' ' }, 'reason is missing'],
    [{ classification: 'small' }, NOT_MEANT],
  ])('%j is none: %s', (value, why) => {
    expect(said(value)).toEqual(expect.stringContaining(why));
  });

  it('is found in prose, and never names another task than those that were shown', () => {
    const found = findAnswer(
      'I see {"duplicate": true, "duplicate_of": 99, "reason": "x"} and {"duplicate": true, "duplicate_of": 3, "reason": "y"}.',
      said,
    );
    expect(found).toEqual({ ok: true, value: { of: '3', reason: 'y' } });
    fc.assert(
      fc.property(fc.anything({ maxDepth: 2 }), fc.boolean(), (of, duplicate) => {
        const read = said({ duplicate, duplicate_of: of, reason: 'r' });
        expect(typeof read === 'string' || read.of === null || CANDIDATES.includes(read.of)).toBe(true);
      }),
    );
  });
});

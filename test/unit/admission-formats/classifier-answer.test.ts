/** What is taken as the answer of a classifier. Source: S-22, S-25, S-28. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_QUESTION_CHARS, readClassification } from '../../../protocol/admission/classifier-answer.js';
import { findAnswer } from '../../../protocol/admission/find-json.js';

const SMALL = {
  classification: 'small',
  confidence: 0.9,
  reason: 'one file',
  needs_clarification: false,
  clarifying_questions: [],
};

const READ = { scope: 'small', confidence: 0.9, reason: 'one file', questions: [], rejectReason: null };

const ask = (...questions: readonly unknown[]) => ({
  ...SMALL,
  needs_clarification: true,
  clarifying_questions: questions,
});

describe('the answer of a classifier', () => {
  it.each(['small', 'large', 'ambiguous'])('is read: %s', (scope) => {
    expect(readClassification({ ...SMALL, classification: scope })).toEqual({ ...READ, scope });
  });

  it('has a reason of its own where it rejects, else the general one', () => {
    const reject = { ...SMALL, classification: 'reject' };

    expect(readClassification({ ...reject, reject_reason: 'spam' })).toMatchObject({ rejectReason: 'spam' });
    expect(readClassification({ ...reject, reject_reason: ' ' })).toMatchObject({ rejectReason: 'one file' });
    expect(readClassification({ ...SMALL, reject_reason: 'spam' })).toEqual(READ);
  });

  it('has the questions that must be answered, and no others', () => {
    expect(readClassification(ask('Which one?', 'Where?\n  Here?'))).toMatchObject({
      questions: ['Which one?', 'Where? Here?'],
    });
    expect(readClassification({ ...SMALL, clarifying_questions: ['Why not?'] })).toEqual(READ);
    expect(readClassification({ ...SMALL, clarifying_questions: undefined })).toEqual(READ);
  });

  it.each([
    [
      { ...SMALL, classification: 'medium' },
      'classification is "medium"; it must be one of small, large, ambiguous, reject',
    ],
    [{ ...SMALL, classification: 'Small' }, 'classification is "Small"; it must be one of'],
    [{ ...SMALL, classification: ['small'] }, 'classification is a list; it must be one of'],
    [{ ...SMALL, confidence: 1.01 }, 'confidence is 1.01; it must be a number from 0 to 1'],
    [{ ...SMALL, confidence: -0.1 }, 'confidence is -0.1'],
    [{ ...SMALL, confidence: Number.NaN }, 'confidence is NaN'],
    [{ ...SMALL, confidence: '0.9' }, 'confidence is "0.9"'],
    [{ ...SMALL, confidence: undefined }, 'confidence is missing'],
    [{ ...SMALL, reason: '\u200b\n' }, 'reason is missing'],
    [{ ...SMALL, needs_clarification: 'no' }, 'needs_clarification must be true or false'],
    [ask(), 'clarifying_questions must be a list of 1 to 4 questions'],
    [ask('1?', '2?', '3?', '4?', '5?'), 'clarifying_questions must be a list of 1 to 4 questions'],
    [{ ...ask(), clarifying_questions: 'Why?' }, 'clarifying_questions must be a list of 1 to 4 questions'],
    [ask('1?', ' '), 'question 2 must be a text of at most 500 characters'],
    [ask('x'.repeat(MAX_QUESTION_CHARS + 1)), 'question 1 must be a text of at most 500 characters'],
    [ask(7), 'question 1 must be a text'],
  ])('%#: is refused with what must be mended', (answer, why) => {
    expect(readClassification(answer)).toEqual(expect.stringContaining(why));
  });

  it('takes both ends of the confidence, four questions and the longest one', () => {
    for (const confidence of [0, 1]) expect(readClassification({ ...SMALL, confidence })).toMatchObject({ confidence });
    const questions = ['1?', '2?', '3?', 'x'.repeat(MAX_QUESTION_CHARS)];
    expect(readClassification(ask(...questions))).toMatchObject({ questions });
  });

  it('cannot steer a terminal, nor fill a history', () => {
    const sly = { ...ask('\u001b[2JWhich\u0000 one\u202e?'), reason: `\u001b]0;title\u0007${'x'.repeat(5_000)}` };

    expect(readClassification(sly)).toMatchObject({
      questions: ['Which␀ one<U+202E>?'],
      reason: `${'x'.repeat(999)}…`,
    });
  });

  it('is found behind the form that the agent repeats first', () => {
    const form = '{"classification":"small|large|ambiguous|reject","confidence":0}';

    expect(findAnswer(`${form}\n${JSON.stringify({ result: SMALL })}`, readClassification)).toEqual({
      ok: true,
      value: READ,
    });
    expect(findAnswer(form, readClassification)).toMatchObject({
      why: expect.stringContaining('"small|large|ambiguous|reject"'),
    });
    expect(findAnswer('{"plan":[]}', readClassification)).toMatchObject({
      why: expect.stringContaining('has the fields'),
    });
  });

  it('whatever it is, is read or refused within its bounds, and nothing is thrown', () => {
    const odd = fc.oneof(fc.anything(), fc.string({ unit: 'binary' }), fc.constantFrom('small', 'reject', 0.5, true));
    const fields = fc.record(
      {
        classification: odd,
        confidence: odd,
        reason: odd,
        needs_clarification: odd,
        clarifying_questions: fc.oneof(odd, fc.array(odd, { maxLength: 5 })),
        reject_reason: odd,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fields, fc.anything()), (value) => {
        const read = readClassification(value);
        if (typeof read === 'string') return;
        expect(read.questions.length).toBeLessThanOrEqual(4);
        expect(read.rejectReason !== null).toBe(read.scope === 'reject');
        expect(JSON.stringify(read)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      }),
    );
  });
});

/** Questions to a person, their answers out of a file, and the text of a task with both. Source: S-44 to S-48. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  asksTheSame,
  MAX_CLARIFY_CHARS,
  readClarify,
  renderClarify,
} from '../../../protocol/admission/clarify-file.js';
import { checkAnswers, cleanAnswer, mergeAnswers } from '../../../protocol/admission/clarify-text.js';

const QUESTIONS = ['Which login?', 'By when?'];
const FILE = { number: 7, task: 'Fix the login', questions: QUESTIONS };

const TEXT = `# Clarification needed for task #7

Task: Fix the login

Write each answer below its heading, or "n/a" where there is none, and leave the headings as they are.

---

## Q1: Which login?

## A1
The one of the shop.

## Q2: By when?

## A2

`;

/** What a person makes of the file. */
function edit(from: string, to: string, text = renderClarify({ ...FILE, answers: ['a', 'b'] })): string {
  if (!text.includes(from)) throw new Error(`no ${from}`);
  return text.replace(from, to);
}

const read = (text: string) => readClarify(text, QUESTIONS);

describe('the file of questions', () => {
  it('has the task, and each question above the place of its answer', () => {
    expect(renderClarify({ ...FILE, answers: ['The one of the shop.'] })).toBe(TEXT);
  });

  it.each([
    ['nobody typed in it', renderClarify(FILE), true],
    ['it is half answered', TEXT, true],
    ['an editor of another system saved it', TEXT.replaceAll('\n', '\r\n'), true],
    ['it has a question less', edit('## Q2: By when?\n', ''), false],
    ['it has another question', edit('By when?', 'By whom?'), false],
    ['its questions stand in another order', edit('## Q1', '## Q3'), false],
    ['it is of another task', edit('Task: Fix the login', 'Task: Fix the logout'), false],
    ['it is empty', '', false],
  ])('is known again where %s: %#', (_, text, isSame) => {
    expect(asksTheSame(text, FILE)).toBe(isSame);
  });

  it('is read with the answers that it has', () => {
    expect(read(edit('## A2\nb', '## A2\n\n\n  by noon,\n\nor later \n'))).toEqual({
      answers: ['a', 'by noon,\n\nor later'],
    });
    expect(read(edit('## A1\na', '## A1: a'))).toEqual({ answers: ['a', 'b'] });
    expect(read(edit('## Q1: Which login?', '## Q1\n\nWhich\nlogin?'))).toEqual({ answers: ['a', 'b'] });
    expect(read(edit('## Q1: Which login?', '## Q1'))).toEqual({ answers: ['a', 'b'] });
  });

  it('is read as other systems write lines', () => {
    const text = renderClarify({ ...FILE, answers: ['one\ntwo', 'b'] });

    for (const end of ['\r\n', '\r'])
      expect(read(`\ufeff${text.replaceAll('\n', end)}`)).toEqual({ answers: ['one\ntwo', 'b'] });
  });

  it('takes "n/a" for an answer, however it is written', () => {
    expect(read(edit('## A2\nb', '## A2\n N/A '))).toEqual({ answers: ['a', 'n/a'] });
  });

  it.each([
    ['has no answer', renderClarify(FILE), 'no question is answered; write "n/a" where none can be'],
    ['lacks one answer', TEXT, 'Q2 has no answer; write "n/a" where none can be'],
    ['lacks a question', edit('## Q2: By when?', ''), 'the line "## Q2" is missing'],
    ['lacks its first question', edit(/## Q1.*/.exec(TEXT)?.[0] ?? '', ''), 'the line "## Q1" is missing'],
    ['lacks the place of an answer', edit('## A1', '### A1'), 'the line "## A1" is missing'],
    ['lacks the last place', edit('## A2', ''), 'the line "## A2" is missing'],
    ['has a heading with another number', edit('## Q1', '## Q10'), 'the line "## Q1" is missing'],
    ['asks something else', edit('By when?', 'By whom?'), 'is not the question that is asked now ("By when?")'],
    [
      'has an answer above its place',
      edit('## A1\na', 'a\n## A1\n'),
      'what stands below "## Q1" and above "## A1" is not the question',
    ],
    ['has a bare heading in an answer', edit('## A1\na', '## A1\na\n## Q2\nb'), 'lacks a backslash'],
    [
      'has an answer of 2001 characters',
      edit('## A2\nb', `## A2\n${'x'.repeat(2_001)}`),
      'the answer to Q2 has 2001 characters; at most 2000',
    ],
    ['is empty', '', 'the line "## Q1" is missing'],
    ['has ten megabytes', TEXT.padEnd(10_000_000), 'the file has 10000000 characters; at most 524288 are read'],
  ])('that %s is refused with what must be mended', (_, text, why) => {
    expect(read(text)).toEqual({ why: expect.stringContaining(why) });
  });

  it('names all questions without an answer', () => {
    expect(checkAnswers(['1?', '2?', '3?'], ['', 'x', ' \n'])).toMatchObject({
      why: expect.stringMatching(/^Q1, Q3 have no/),
    });
    expect(checkAnswers(['1?'], ['x', 'y'])).toEqual({ why: 'there are 2 answers to 1 questions' });
    expect(checkAnswers([], [])).toEqual({ answers: [] });
  });

  it('is read up to its bound', () => {
    const text = renderClarify({ ...FILE, answers: ['a', 'b'] });

    expect(read(text.padEnd(MAX_CLARIFY_CHARS))).toEqual({ answers: ['a', 'b'] });
  });

  it('that Skep wrote is read too', () => {
    const text =
      '# Clarify\nQ1: Which login?\nA1: The one\nof the shop.\nA2 is no mark, nor is\n Q2: this\n\nQ2: By when?\nA2: :-)\n';

    expect(read(text)).toEqual({ answers: ['The one\nof the shop.\nA2 is no mark, nor is\n Q2: this', ':-)'] });
    expect(read(text.replace('A1: The', 'B1: The'))).toEqual({
      why: expect.stringContaining('the line "A1:" is missing'),
    });
    expect(read(text.replace('Which login', 'What'))).toEqual({ why: expect.stringContaining('is not the question') });
  });

  it('keeps the answers of any task, whatever they look like', () => {
    const mark = fc.constantFrom(
      'A',
      'A1: x',
      'Q2: By when?',
      '## Q2',
      '## Q2: By when?',
      '## A1',
      '\\## ',
      '\\\\## Q2',
      '##',
      '# x',
      '---',
      'n/a',
      '\u2028## Q2',
      '',
    );
    const answer = fc
      .array(fc.oneof(mark, fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 6 })
      .map((lines) => lines.join('\n'))
      .filter((text) => cleanAnswer(text) !== '');
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 4 }), answer, (answers, task) => {
        const questions = answers.map((_, index) => `Question ${index + 1}: ## A1?`);
        const text = renderClarify({ number: 1, task, questions, answers });

        expect(readClarify(text, questions)).toEqual({ answers: answers.map(cleanAnswer) });
        expect(readClarify(text.replaceAll('\n', '\r\n'), questions)).toEqual({ answers: answers.map(cleanAnswer) });
      }),
      { numRuns: 300 },
    );
  });

  it('whatever it is, is read or refused, and nothing is thrown', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('## Q1', '## A1', '## Q2', '## A2', 'Q1:', 'A1:'),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const got = read(parts.join('\n'));
        if ('answers' in got) expect(got.answers.every((one) => one !== '')).toBe(true);
      }),
    );
  });

  it('has no control characters in its answers', () => {
    expect(cleanAnswer(' a\u001b[1m\u0000\tb\r\nc\ud800 ')).toBe('a[1m\tb\nc');
    expect(read(edit('## A2\nb', '## A2\nb\u0007'))).toEqual({ answers: ['a', 'b'] });
  });
});

describe('a task with answers', () => {
  it('is its text and below it the questions of all rounds', () => {
    expect(
      mergeAnswers('Fix the login', [
        { questions: QUESTIONS, answers: ['The shop’s\n- By when?: never', 'n/a'] },
        { questions: ['Why?'], answers: ['Q2: so'] },
      ]),
    ).toBe(
      'Fix the login\n\nClarifications:\n- Which login?: The shop’s\n  - By when?: never\n- By when?: n/a\n- Why?: Q2: so',
    );
  });

  it('is its text where nothing was asked', () => {
    expect(mergeAnswers('Fix the login', [])).toBe('Fix the login');
  });
});

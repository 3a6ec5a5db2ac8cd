/** The first JSON object of an agent's free text that a reader accepts, and how much work a hostile text can make of it. Source: S-28. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findAnswer, MAX_AGENT_ANSWER_CHARS, MAX_OFFERED, NOT_MEANT } from '../../../protocol/admission/find-json.js';
import { listObjects, type Tally } from '../../../protocol/admission/list-json-objects.js';
import { isRecord } from '../../../protocol/text/json.js';

interface Answer {
  readonly n: number;
}

/** An object is meant as an answer where it has `n`. */
function readN(value: unknown): Answer | string {
  if (!isRecord(value) || !('n' in value)) return NOT_MEANT;
  return typeof value['n'] === 'number' ? { n: value['n'] } : `n is ${String(value['n'])}`;
}

const found = (n: number) => ({ ok: true, value: { n } });

describe('an answer in free text', () => {
  it.each([
    ['alone', '{"n":1}'],
    ['between words', 'Here it is: {"n":1}. I hope that {helps}!'],
    ['in a code fence', 'Sure.\n```json\n{ "n": 1 }\n```\nDone.'],
    ['in an envelope', '{"type":"result","result":{"n":1},"cost":0.1}'],
    ['in a list', '[[{"m":0},{"n":1}]]'],
    ['as the text of an envelope', JSON.stringify({ answer: 'well: ```\n{"n":1}\n```' })],
    ['as a text in a text', JSON.stringify({ result: JSON.stringify({ answer: '{"n":1}' }) })],
    ['after an object of something else', '{"a":{}} {"n":1}'],
    ['after one that is refused', '{"n":"small|large"} {"n":1}'],
    ['after a brace that is never closed', 'if (x) { go(); {"n":1}'],
    ['after a quote in prose', 'the mark {" begins it, "then" {"n":1}'],
    ['inside what is no JSON', '{"draft": {"n":1}, oops}'],
    ['with braces in its texts', '{"why":"} {","n":1}'],
    ['with escapes', '{"why":"\\"\\\\\\u007b \\n","n":1}'],
    ['before another', '{"n":1}{"n":2}'],
    ['before others inside one object', '{"a":{"n":1},"b":[{"n":2}]}'],
  ])('is found %s', (_, text) => {
    expect(findAnswer(text, readN)).toEqual(found(1));
  });

  it.each([
    ['nothing', '', 'there is no JSON object in the answer'],
    ['prose', 'I cannot { do } that.', 'there is no JSON object in the answer'],
    [
      'almost JSON',
      '{\'n\':1} {n:1} {"n":1,} {"n":01} {"n":+1} {"n":"a\nb"} {"n":"\\x"}',
      'there is no JSON object in the answer',
    ],
    ['half of one', '{"n":1', 'there is no JSON object in the answer'],
    ['another object', '{"a":{"b":1}}', 'none of its JSON objects (2) has the fields of the answer'],
    ['a wrong one', '{"n":"x"} {"a":1}', 'n is x'],
    ['the form, then a wrong one', '{"n":"form"} {"n":"wrong"}', 'n is wrong'],
    [
      'an answer that is too deep in texts',
      [1, 2, 3].reduce((text) => JSON.stringify({ text }), '{"n":1}'),
      'none of its JSON objects (3) has the fields of the answer',
    ],
  ])('that is %s is refused, with the best reason', (_, text, why) => {
    expect(findAnswer(text, readN)).toEqual({ ok: false, why });
  });

  it('is refused above a megabyte, for its end may be missing', () => {
    const answer = '{"n":1}';

    expect(findAnswer(answer.padEnd(MAX_AGENT_ANSWER_CHARS), readN)).toEqual(found(1));
    expect(findAnswer(answer.padEnd(MAX_AGENT_ANSWER_CHARS + 1), readN)).toMatchObject({
      ok: false,
      why: 'the answer has 1048577 characters; at most 1048576 are read',
    });
  });

  it('is looked for among a thousand objects', () => {
    let reads = 0;
    const count = (value: unknown) => {
      reads += 1;
      return readN(value);
    };
    const others = (n: number) => '{}'.repeat(n);

    expect(findAnswer(`${others(MAX_OFFERED - 1)}{"n":1}`, count)).toEqual(found(1));
    expect(reads).toBe(MAX_OFFERED);
    expect(findAnswer(`${others(MAX_OFFERED)}{"n":1}`, count)).toEqual({
      ok: false,
      why: 'none of its first 1000 JSON objects is the answer',
    });
    expect(reads).toBe(2 * MAX_OFFERED);
  });

  it('is found wherever it stands in a text without braces and quotes, whatever it holds', () => {
    const words = fc.string({ unit: 'binary' }).map((text) => text.replace(/[{"]/g, ''));
    fc.assert(
      fc.property(words, fc.jsonValue(), words, (before, value, after) => {
        const answer = { isAnswer: true, value };
        const read = (one: unknown) => (isRecord(one) && 'isAnswer' in one ? one : NOT_MEANT);
        const [bare, wrapped] = [JSON.stringify(answer, null, 2), JSON.stringify({ result: JSON.stringify(answer) })];

        const same = { ok: true, value: JSON.parse(bare) };
        expect(findAnswer(`${before}${bare}${after}`, read)).toEqual(same);
        expect(findAnswer(`${before}${wrapped}${after}`, read)).toEqual(same);
      }),
    );
  });
});

const MIB = 1024 * 1024;

/** After `{"{` both its quotes and what is between them go on as JSON; in the other one objects are opened besides. */
const TWO_WAYS = '":":",",';
const TWO_WAYS_DEEP = '":":{",":{';

const HOSTILE: readonly (readonly [string, string])[] = [
  ['opening braces', '{'.repeat(MIB)],
  ['objects that are never closed', '{"a":'.repeat(MIB / 5)],
  ['lists that are never closed', `{"a":${'['.repeat(MIB - 5)}`],
  ['braces and quotes', '{"'.repeat(MIB / 2)],
  ['quotes that can be read in two ways', `{"{${TWO_WAYS.repeat(MIB / 8)}`],
  ['objects in quotes that can be read in two ways', `{"{${TWO_WAYS_DEEP.repeat(MIB / 10)}`],
  ['a text that is never closed', `{"a":"${'{'.repeat(MIB)}`],
  ['spaces after braces', `{${' '.repeat(1000)}`.repeat(MIB / 1001)],
  ['a number without an end', `{"a":${'1'.repeat(MIB)}`],
  ['escapes', `{"a":"${'\\"{'.repeat(MIB / 3)}`],
  ['deep objects', `${'{"a":'.repeat(MIB / 6)}1${'}'.repeat(MIB / 6)}`],
  ['deep objects with a wrong end', `${'{"a":'.repeat(MIB / 6)}1${'}'.repeat(MIB / 6 - 1)}]`],
  ['small objects', '{"a":{}}'.repeat(MIB / 8)],
  ['objects in texts in texts', JSON.stringify({ a: JSON.stringify({ b: '{"c":'.repeat(MIB / 20) }) })],
];

/** Ends the search as soon as it looks at more than eight things a character, so that a slow one fails instead of lasting for hours. */
class Limited implements Tally {
  #steps = 0;

  constructor(private readonly text: string) {}

  get steps(): number {
    return this.#steps;
  }

  set steps(steps: number) {
    this.#steps = steps;
    if (steps > 8 * this.text.length) throw new Error(`${steps} steps for ${this.text.length} characters`);
  }
}

describe('the work for a hostile text', () => {
  it.each(HOSTILE)('of a megabyte of %s is linear', (_, text) => {
    const tally = new Limited(text);
    for (const one of listObjects(text, tally)) if (!isRecord(one)) throw new Error('not an object');

    expect(tally.steps).toBeGreaterThan(0);
  });

  it('is at most eight steps a character, whatever its braces and quotes are', () => {
    const marks = fc.constantFrom(...'{}[]:,"\\ 1n'.split(''), '"a":', '{"{', TWO_WAYS, TWO_WAYS_DEEP);
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 400 }), (parts) => {
        const text = parts.join('');

        expect(() => [...listObjects(text, new Limited(text))]).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it('never takes for JSON what is none, nor leaves JSON out', () => {
    const marks = fc.constantFrom(...'{}[]:,"\\ 1-.e'.split(''), '"a":', '0', 'null', 'true', '\\u00e9', '\n');
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 12 }), (parts) => {
        const text = `{${parts.join('')}}`;

        expect(listObjects(text, { steps: 0 }).next().value ?? null).toEqual(firstObject(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Slow and plain: each beginning with each end. */
function firstObject(text: string): unknown {
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start + 1)) {
    for (let end = start + 1; end <= text.length; end += 1) {
      try {
        return JSON.parse(text.slice(start, end));
      } catch {
        // Another end, then.
      }
    }
  }
  return null;
}

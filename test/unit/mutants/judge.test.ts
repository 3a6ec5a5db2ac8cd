import { describe, expect, it } from '@jest/globals';
import {
  type JestEnd,
  type JestReport,
  judge,
  judgeBuilt,
  limitOf,
  NotBuiltError,
  testNamePattern,
  titlePattern,
} from '../../mutants/judge.js';

type Assertion = JestReport['testResults'][number]['assertionResults'][number];

const ran = (title: string, status: string, ...failureMessages: readonly string[]): Assertion => ({
  title,
  status,
  failureMessages,
});

function aReport(assertionResults: readonly Assertion[], message = ''): JestReport {
  const failed = message !== '' || assertionResults.some(({ status }) => status === 'failed');
  return { testResults: [{ status: failed ? 'failed' : 'passed', message, assertionResults }] };
}

function timedOut(what: string): JestReport {
  const why = `thrown: "Exceeded timeout of 30000 ms for a ${what}.\nAdd …`;
  return aReport([ran('keeps it', 'failed', why)]);
}

describe('the verdict about a named test', () => {
  it('is red where that test failed, with what it said first', () => {
    const report = aReport([
      ran('other', 'passed'),
      ran('keeps it', 'failed', '\u001b[31mError: expected 1\u001b[39m\n  at x'),
    ]);

    expect(judge(report, 'keeps it')).toEqual({ kind: 'red', why: 'Error: expected 1' });
  });

  it('is green where it passed, whatever other tests did', () => {
    expect(judge(aReport([ran('other', 'failed', 'Error: x'), ran('keeps it', 'passed')]), 'keeps it')).toEqual({
      kind: 'green',
    });
  });

  it('is red where one row of a table failed', () => {
    const report = aReport([ran('keeps a.txt', 'passed'), ran('keeps b.txt', 'failed', 'Error: gone')]);

    expect(judge(report, 'keeps %s')).toEqual({ kind: 'red', why: 'Error: gone' });
  });

  it.each([
    [
      'no test of that title ran',
      aReport([ran('keeps it', 'pending'), ran('other', 'failed', 'Error: x')]),
      'no test of that title ran',
    ],
    ['no file matched', { testResults: [] }, 'no test of that title ran'],
    ['the file could not be loaded', aReport([], 'SyntaxError: Unexpected token'), 'could not be loaded: SyntaxError'],
    ['jest crashed', 'no report', 'without a report'],
    [
      'what the test compiles does not compile',
      aReport([ran('keeps it', 'failed', "x.ts(1,2): error TS2304: no 'y'")]),
      'TS2304',
    ],
    [
      'what the test loads is no code',
      aReport([ran('keeps it', 'failed', 'ReferenceError: y is not defined')]),
      'ReferenceError',
    ],
  ] as const)('is none where %s', (_when, report, why) => {
    expect(judge(report, 'keeps it')).toEqual({ kind: 'nothing', why: expect.stringContaining(why) });
  });
});

describe('a mutant', () => {
  it('that cannot be built is a result of its own; any other error is none', async () => {
    expect(await judgeBuilt(() => Promise.reject(new NotBuiltError('bundle.js failed')))).toEqual({
      kind: 'nothing',
      why: 'bundle.js failed',
    });
    await expect(judgeBuilt(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full');
  });

  it.each<[string, JestEnd]>([
    ['a limit of jest for a test', timedOut('test')],
    ['a limit of jest for a hook', timedOut('hook')],
    ['our own limit', 'out of time'],
  ])('is late where %s was all that was red', (_what, report) => {
    expect(judge(report, 'keeps it')).toMatchObject({ kind: 'late' });
  });

  it('has four times what its test took without it and its hooks, not what other tests of the file took', () => {
    const of = (title: string, duration: number | null) => ({ ...ran(title, 'passed'), duration });
    const report = aReport([of('keeps a', 1000), of('keeps b', 500), of('other', 30_000), of('not asked for', null)]);

    expect(limitOf(report, 'keeps %s', 33_500)).toBe(20_000 + 4 * 3500);
  });
});

describe('a title', () => {
  it.each([
    ['keeps %s of %j', 'keeps a+b of {"c":1}'],
    ['names $file, $a.title', 'names x.ts, what'],
    ['spreads by 20 %% (jitter %d)', 'spreads by 20 % (jitter 1)'],
    ['%s → %s', 'a\nb → c'],
    ['costs (V-127) [a|b]?', 'costs (V-127) [a|b]?'],
  ])('%j stands for %j', (title, filledIn) => {
    expect(titlePattern(title).test(filledIn)).toBe(true);
  });

  it('stands for no longer one, and for none in which it is a part', () => {
    expect(titlePattern('keeps it').test('keeps it twice')).toBe(false);
    expect(titlePattern('keeps it').test('never keeps it')).toBe(false);
  });

  it('finds its test below any groups, and not one that ends alike', () => {
    const pattern = new RegExp(testNamePattern(['keeps it', 'drops %s']));

    expect(['a file keeps it', 'keeps it', 'a file drops b'].map((name) => pattern.test(name))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['a file upkeeps it', 'a file keeps it twice'].map((name) => pattern.test(name))).toEqual([false, false]);
  });
});

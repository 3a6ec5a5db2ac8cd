/** What a campaign of the kill matrix takes for an order, and when it has passed. One that tries nothing must not look like one that found nothing. */
import { describe, expect, it } from '@jest/globals';
import { assertWholeBacklog } from '../../chaos/matrix/backlog/backlog-trials.js';
import { tryAll } from '../../chaos/matrix/landing/every-trial.js';
import type { Trial } from '../../chaos/matrix/landing/trials.js';
import { countMet, neverMet } from '../../chaos/matrix/never-met.js';
import { assertReached } from '../../chaos/matrix/reached.js';
import { assertWholeSteps } from '../../chaos/matrix/steps/steps-trials.js';
import { isPassed } from '../../chaos/matrix/tally.js';
import { wantedOf } from '../../chaos/matrix/wanted.js';

describe('the order of npm run chaos', () => {
  it('is the whole of the scenario run without a word', () => {
    expect(wantedOf([])).toEqual({
      scenario: 'run',
      only: null,
      lanes: 8,
      kills: null,
      json: false,
      cells: false,
      blackbox: false,
    });
  });

  it('names one scenario, a part of its names and a number of lanes', () => {
    expect(wantedOf(['landing', '--only', 'guard at', '--lanes', '2'])).toMatchObject({
      scenario: 'landing',
      only: 'guard at',
      lanes: 2,
    });
  });

  it.each([
    [['--lanes', '0'], 'whole number above 0'],
    [['--lanes', 'x'], 'whole number above 0'],
    [['--lanes', '1.5'], 'whole number above 0'],
    [['--lanes=-1'], 'whole number above 0'],
    [['web', '--kills', '0'], 'whole number above 0'],
    [['landing', 'steps'], 'one scenario at a time, not landing, steps'],
    [['web', 'landing'], 'one scenario at a time, not web, landing'],
    [['typo'], 'there are no cells of typo'],
  ])('is refused where it asks for nothing, or for two things: %j', (args, why) => {
    expect(() => wantedOf(args)).toThrow(why);
  });
});

describe('the points of a scenario', () => {
  it('are all there, or it is told which came by in no course', () => {
    expect(() => assertReached('landing', ['a', 'b'], ['b', 'a', 'c'])).not.toThrow();
    expect(() => assertReached('landing', ['a', 'b', 'c'], ['b'])).toThrow('landing does not pass a, c');
  });

  it.each([
    ['backlog', assertWholeBacklog, 'admit.before-number'],
    ['steps', assertWholeSteps, 'ask.after-outcome of ask 4'],
  ] as const)('of %s are held to what it is to pass', (scenario, assertWhole, missing) => {
    expect(() => assertWhole([])).toThrow(`without any fault ${scenario} does not pass`);
    expect(() => assertWhole([])).toThrow(missing);
  });
});

describe('deaths at random', () => {
  const strikes = [
    { victim: 'guard', isMet: false },
    { victim: 'worker', isMet: false },
    { victim: 'worker', isMet: true },
    { victim: 'guard', isMet: false },
  ];

  it('count where somebody was met', () => {
    expect(countMet(strikes)).toBe(1);
  });

  it('are told of whoever was meant and never met', () => {
    expect(neverMet(strikes)).toEqual(['guard']);
    expect(neverMet([])).toEqual([]);
  });
});

describe('a campaign', () => {
  it.each([
    [{ wanted: 2, done: 2, unclean: 0 }, true],
    [{ wanted: 0, done: 0, unclean: 0 }, false],
    [{ wanted: 2, done: 1, unclean: 0 }, false],
    [{ wanted: 2, done: 2, unclean: 1 }, false],
  ])('%j has passed: %j', (tally, hasPassed) => {
    expect(isPassed(tally)).toBe(hasPassed);
  });

  const never: Trial = {
    name: 'guard at a point',
    run: () => Promise.reject(new Error('it was not to be run')),
    hasFired: () => false,
  };

  it.each([
    ['there is no trial', { record: [], only: null, lanes: 8 }],
    ['none is called so', { record: [never], only: 'typo', lanes: 8 }],
    ['no lane takes one', { record: [never], only: null, lanes: 0 }],
  ])('has not passed where %s', async (_what, { record, only, lanes }) => {
    const note = () => undefined;

    expect(await tryAll({ name: 'landing', record: () => Promise.resolve(record), only, lanes, note })).toBe(false);
  });
});

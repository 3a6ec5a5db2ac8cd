/** What a campaign of the kill matrix takes for an order, and when it has passed. One that tries nothing must not look like one that found nothing. */
import { describe, expect, it } from '@jest/globals';
import { tryAll } from '../../chaos/matrix/landing/every-trial.js';
import type { Trial } from '../../chaos/matrix/landing/trials.js';
import { isPassed } from '../../chaos/matrix/tally.js';
import { wantedOf } from '../../chaos/matrix/wanted.js';

describe('the order of npm run chaos', () => {
  it('is the whole of the scenario run without a word', () => {
    expect(wantedOf([])).toEqual({
      ...{ scenario: 'run', only: null, lanes: 8, kills: null },
      ...{ json: false, cells: false, blackbox: false },
    });
  });

  it('names one scenario, a part of its names and a number of lanes', () => {
    expect(wantedOf(['landing', '--only', 'guard at', '--lanes', '2'])).toMatchObject({
      ...{ scenario: 'landing', only: 'guard at', lanes: 2 },
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

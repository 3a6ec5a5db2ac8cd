/** What the bench is asked for, and what it refuses before it measures anything. */
import { describe, expect, it } from '@jest/globals';
import { type Asked, understand } from '../../../bench/asked.js';

const PARTS = { run: ['plain', 'cli', 'spans'], web: ['list'] };
const asked = (more: Partial<Asked>) => understand({ words: [], ...more }, PARTS);

describe('what is asked of the bench', () => {
  it('is all of "run" without a word, and all of the scenario that is named', () => {
    expect(asked({})).toEqual({ scenario: 'run', parts: ['plain', 'cli', 'spans'] });
    expect(asked({ words: ['web'], json: true })).toEqual({ scenario: 'web', parts: ['list'] });
    expect(asked({ save: true, json: true })).toEqual({ scenario: 'run', parts: ['plain', 'cli', 'spans'] });
  });

  it('are parts in their own order, each once', () => {
    expect(asked({ only: 'spans,plain,plain' })).toEqual({ scenario: 'run', parts: ['plain', 'spans'] });
  });

  it.each<readonly [string, Partial<Asked>]>([
    ['nowhere is unknown. There are the benches "run" of plain,cli,spans and "web" of list', { words: ['nowhere'] }],
    ['toString is unknown', { words: ['toString'] }],
    ['more is unknown', { words: ['web', 'more'] }],
    ['plain is unknown', { words: ['web'], only: 'list,plain' }],
    [' is unknown', { only: '' }],
    ['--save keeps the figures of "run" alone', { words: ['web'], save: true }],
    ['it takes neither --only nor --brief', { save: true, brief: true }],
    ['it takes neither --only nor --brief', { save: true, only: 'plain' }],
    ['it takes only --brief', { against: '../other', words: ['web'] }],
    ['it takes only --brief', { against: '../other', json: true }],
    ['it takes only --brief', { against: '../other', only: 'plain' }],
    ['it takes only --brief', { against: '../other', save: true }],
  ])('is refused: %s', (refusal, what) => {
    expect(asked(what)).toEqual({ refusal: expect.stringContaining(refusal) });
  });

  it('is another build with small numbers too', () => {
    expect(asked({ against: '../other', brief: true })).toMatchObject({ scenario: 'run' });
  });
});

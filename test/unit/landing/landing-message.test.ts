import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { landingMessage } from '../../../activities/landing/landing-message.js';
import { parseConfigFile } from '../../../config/layers/parse-config.js';
import type { LandingMethod } from '../../../protocol/run/landing-policy.js';

const BRANCH = 'sluice/shop-1-l1';

function messageOf(
  template: string | null,
  { title = 'Sell it', method = 'merge' as LandingMethod, entry = 'landing:shop-1/e/shop-1-l1/2' } = {},
) {
  const record = { runId: 'shop-1-l1', branch: BRANCH, input: { task: 'a task', title, repo: '/r' } };
  return landingMessage(record, { method, title: template, base: 'main', entry });
}

describe('the message of what lands', () => {
  it.each<[string | null, LandingMethod, string]>([
    [null, 'merge', `Merge ${BRANCH} into main\n\nSell it\n`],
    [null, 'squash', 'Sell it\n\nLanded from shop-1-l1\n'],
    [null, 'rebase', 'Sell it\n\nLanded from shop-1-l1\n'],
    ['[{id}] {title}', 'merge', `[shop-1] Sell it\n\nMerge ${BRANCH} into main\n`],
    ['{title} ({run})', 'squash', 'Sell it (shop-1-l1)\n\nLanded from shop-1-l1\n'],
  ])('has by %j and %s the title that is asked for', (template, method, message) => {
    expect(messageOf(template, { method })).toBe(message);
  });

  it('fills a field once, whatever a title has', () => {
    expect(messageOf('{title}', { title: '{run} {id} $& $1' })).toMatch(/^\{run\} \{id\} \$& \$1\n/);
  });

  it('names the run itself where nobody knows whose landing it is', () => {
    expect(messageOf('{id}', { entry: 'hand/1/x/1' })).toMatch(/^shop-1-l1\n/);
  });

  it('is a title of one line without control characters, an empty line and one more, whatever is in it', () => {
    const anything = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        anything,
        anything,
        fc.constantFrom('{title}', '{id}: {title}', 'x {title} {run}'),
        (title, owner, template) => {
          const [first = '', empty, second = '', end, ...more] = messageOf(template, {
            title: `t${title}`,
            entry: `landing:${owner}/1`,
          }).split('\n');

          expect(first.trim()).not.toBe('');
          expect(first).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
          expect([empty, second, end, more]).toEqual(['', `Merge ${BRANCH} into main`, '', []]);
        },
      ),
    );
  });
});

describe('landing.title', () => {
  const parse = (title: string) => () =>
    parseConfigFile('project', { text: JSON.stringify({ landing: { title } }), name: 'c' });

  it.each(['{title}', '[KARIMO] [{id}] {title}', 'plain', '{run}{id}'])('may be %j', (title) => {
    expect(parse(title)).not.toThrow();
  });

  it.each(['', ' ', '{task}', '{title', 'a\nb', 'a\u001b[31m', 'x'.repeat(201)])('may not be %j', (title) => {
    expect(parse(title)).toThrow('must be one line of 1 to 200 characters');
  });
});

/** What somebody typed: it goes once it was taken, and only that. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isStill } from '../../../page/state/drafts.js';

const kept = new Map<string, string>();

beforeAll(() => {
  const sessionStorage = { getItem: (name: string) => kept.get(name) ?? null };
  Object.assign(globalThis, { sessionStorage });
});
afterAll(() => void Reflect.deleteProperty(globalThis, 'sessionStorage'));

it('is forgotten where it is what was sent, and stays where more was typed meanwhile', () => {
  kept.set('sluice.draft.shop-1.steer', 'use tabs');
  const before = isStill('shop-1.steer', 'use tabs');
  kept.set('sluice.draft.shop-1.steer', 'use tabs, and test it');

  expect([before, isStill('shop-1.steer', 'use tabs'), isStill('shop-2.steer', 'use tabs')]).toEqual([
    true,
    false,
    false,
  ]);
});

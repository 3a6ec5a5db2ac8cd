/** How much of the diff of a failed step is kept. */
import { expect, it } from '@jest/globals';
import { headOfPatch, MAX_KEPT_CHARS } from '../../../activities/steps/keep-diff.js';
import { redact } from '../../../protocol/text/redact.js';

const TOKEN = `ghp_${'a1'.repeat(18)}`;

it('is all of what is short', () => {
  expect(headOfPatch('+one\n')).toBe('+one\n');
});

it.each([10, 20, 30, 40])('is its whole first lines, and no half of a secret that the end falls on (at %d)', (at) => {
  const before = `${'+'.repeat(MAX_KEPT_CHARS - at - 1)}\n`;
  const kept = redact(headOfPatch(`${before}${TOKEN}\n${'+'.repeat(100)}\n`));

  expect(kept.startsWith(before)).toBe(true);
  expect(kept).not.toContain('ghp_');
  expect(kept.length).toBeLessThan(MAX_KEPT_CHARS + 200);
});

it('is nothing of one endless line but how long it was', () => {
  expect(headOfPatch('+'.repeat(2 * MAX_KEPT_CHARS))).toMatch(/^\[… 2097152 characters more are left out/);
});

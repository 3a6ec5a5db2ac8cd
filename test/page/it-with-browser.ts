/** `it` where a Chromium is on PATH, or named in SLUICE_CHROMIUM. Elsewhere the test is skipped and its reason printed, but never in `npm run page` or in CI. */
import { afterAll, beforeAll, it } from '@jest/globals';
import { findChromium } from './open-browser.js';

const hasBrowser = findChromium() !== null || process.env['SLUICE_PAGE'] === 'whole' || process.env['CI'] !== undefined;

const OPENED_WITHIN_MS = 120_000;

if (!hasBrowser)
  process.stderr.write('skipped: what is tried in a browser: no chromium on PATH and none in SLUICE_CHROMIUM\n');

// `it.skip` lacks only the members that make no sense for a skipped test.
export const itWithBrowser: typeof it = hasBrowser ? it : (it.skip as typeof it);

/** What the tests of a file stand on, opened before the first and closed after the last, unless they are skipped. */
export function beforeAllWithBrowser(open: () => Promise<{ close(): Promise<void> }>): void {
  if (!hasBrowser) return;
  let opened: Awaited<ReturnType<typeof open>> | undefined;
  beforeAll(async () => {
    opened = await open();
  }, OPENED_WITHIN_MS);
  afterAll(() => opened?.close(), OPENED_WITHIN_MS);
}

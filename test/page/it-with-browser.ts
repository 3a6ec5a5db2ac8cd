/** `it` where a Chromium is on PATH, or named in SLUICE_CHROMIUM. Elsewhere the test is skipped and its reason printed, but never in `npm run page`. */
import { it } from '@jest/globals';
import { findChromium } from './open-browser.js';

export const hasBrowser = findChromium() !== null || process.env['SLUICE_PAGE'] === 'whole';

if (!hasBrowser)
  process.stderr.write('skipped: what is tried in a browser: no chromium on PATH and none in SLUICE_CHROMIUM\n');

// `it.skip` lacks only the members that make no sense for a skipped test.
export const itWithBrowser: typeof it = hasBrowser ? it : (it.skip as typeof it);

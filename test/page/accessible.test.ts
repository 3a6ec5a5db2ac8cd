/** Each view in light and dark, on a telephone and on a desk: axe finds nothing, nothing must be scrolled sideways, the page reports nothing that its policy forbade. */
import { createRequire } from 'node:module';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { beforeAllWithBrowser, itWithBrowser } from './it-with-browser.js';
import { openPageWorld, type PageWorld } from './page-world.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let own: PageWorld;

beforeAllWithBrowser(async () => {
  own = await openPageWorld();
  await own.startGated('page-axe', `a title with a word of ${'many'.repeat(60)} letters`);
  return own;
});

const VIEWS: readonly {
  readonly name: string;
  readonly path: string;
  readonly shows: string;
  readonly isSignedOut?: true;
}[] = [
  { name: 'Now', path: '/', shows: 'Needs you' },
  { name: 'Run', path: '/runs/page-axe', shows: 'Keys count once' },
  { name: 'Batches', path: '/batches', shows: 'No batches yet' },
  { name: 'Limits', path: '/limits', shows: 'No usage limit' },
  { name: 'Landings', path: '/landings', shows: 'Nothing has landed' },
  { name: 'sign-in', path: '/', shows: 'Sign in', isSignedOut: true },
];

const SCREENS = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { colorScheme: 'dark', viewport: { width: 3840, height: 2160 } },
] as const;

describe.each(VIEWS)('the view $name', ({ path, shows, isSignedOut = false }) => {
  itWithBrowser.each(SCREENS)('has no fault on $viewport.width, $colorScheme', async (screen) => {
    const { page, context, faults } = await own.newTab(screen);
    await context.addInitScript({ path: AXE });
    if (isSignedOut) await context.addInitScript("sessionStorage.removeItem('sluice.key')");
    await page.goto(`http://${own.web.address}${path}`);
    await page.getByText(shows).first().waitFor();

    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await context.close();
  });
});

async function axeFaults(page: Page): Promise<unknown> {
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))',
  );
}

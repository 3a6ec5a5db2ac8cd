/** Each view in light and dark, on a telephone and on a desk: axe finds nothing, nothing must be scrolled sideways, the page reports nothing that its policy forbade. */
import { createRequire } from 'node:module';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { RunPage } from '../../../client/http/shapes.js';
import { closeAccount } from '../../../config/home/closed-accounts.js';
import { until } from '../../support/until.js';
import { beforeAllWithBrowser, itWithBrowser } from '../it-with-browser.js';
import { openPageWorld, type PageWorld } from '../page-world.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let own: PageWorld;

beforeAllWithBrowser(async () => {
  own = await openPageWorld();
  const { world, web, repository } = own;
  await own.startGated('page-axe', `a title with a word of ${'many'.repeat(60)} letters`);
  await own.startGated('page-landed');
  await own.approve('page-landed');
  await until(async () => RunPage.parse((await web.ask('/api/runs/page-landed')).json).row.group === 'ready');
  await web.ask('/api/landings/page-landed/land', { method: 'POST', body: { requestId: 'land' } });
  const task = `${JSON.stringify({ task: 'change a.txt', title: 'a task of a batch' })}\n`;
  await world.sluice(['batch', '-', '--name', 'of-axe', '--detach'], { cwd: repository.path, input: task });
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const closed = { account: 'anthropic/work', until: inAnHour, expiresAt: inAnHour, opening: null };
  await closeAccount(world.home, closed, Date.now());
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
  { name: 'Run that is ready', path: '/runs/page-landed', shows: 'Checks' },
  { name: 'Batches', path: '/batches', shows: 'of-axe' },
  { name: 'Batch', path: '/batches/batch%3Aof-axe', shows: 'a task of a batch' },
  { name: 'Limits', path: '/limits', shows: 'anthropic/work' },
  { name: 'Landings', path: '/landings', shows: 'page-landed' },
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

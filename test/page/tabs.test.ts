/** Many tabs of one browser: one stream for all, and clicks that are answered all the same. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { serveWebOf } from '../support/served-web.js';
import { until } from '../support/until.js';
import { hasBrowser, itWithBrowser } from './it-with-browser.js';
import { openPageWorld, type PageWorld, type Tab } from './page-world.js';

const LIMIT_MS = 120_000;
const TABS = 8;

let own: PageWorld;

beforeAll(async () => {
  if (hasBrowser) own = await openPageWorld();
}, LIMIT_MS);
afterAll(async () => {
  if (hasBrowser) await own.close();
}, LIMIT_MS);

/** Streams that a tab has asked for and that have not ended. */
class Streams {
  readonly open = new Map<Page, number>();

  watch(page: Page): void {
    const isStream = (url: string) => url.includes('/api/stream');
    const add = (by: number) => this.open.set(page, (this.open.get(page) ?? 0) + by);
    page.on('request', (asked) => (isStream(asked.url()) ? add(1) : undefined));
    page.on('requestfailed', (asked) => (isStream(asked.url()) ? add(-1) : undefined));
    page.on('requestfinished', (asked) => (isStream(asked.url()) ? add(-1) : undefined));
    page.on('close', () => this.open.delete(page));
  }

  get leaders(): readonly Page[] {
    return [...this.open].flatMap(([page, count]) => (count > 0 ? [page] : []));
  }

  get count(): number {
    return [...this.open.values()].reduce((sum, count) => sum + count, 0);
  }
}

async function openTabs(tab: Tab, path: string, streams: Streams): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let n = 0; n < TABS; n += 1) {
    const page = await tab.context.newPage();
    streams.watch(page);
    await page.goto(`http://${own.web.address}${path}`);
    pages.push(page);
  }
  return pages;
}

const shows = (pages: readonly Page[], text: string) =>
  Promise.all(pages.map((page) => page.getByText(text).first().waitFor()));

const rename = (id: string, title: string) =>
  own.web.ask(`/api/runs/${id}/rename`, { method: 'POST', body: { title, requestId: title } });

describe('eight tabs', () => {
  itWithBrowser('show one run by one stream, answer a click, and go on when the tab that reads is closed', async () => {
    await own.startGated('page-tabs');
    const first = await own.newTab();
    await first.page.close();
    const streams = new Streams();
    const pages = await openTabs(first, '/runs/page-tabs', streams);
    await shows(pages, 'Keys count once');
    await until(() => streams.count === 1);

    await rename('page-tabs', 'the first title');
    await shows(pages, 'the first title');
    const [leader] = streams.leaders;
    await leader?.close();
    const left = pages.filter((page) => page !== leader);
    await rename('page-tabs', 'the second title');
    await shows(left, 'calls the run "the second title"');
    await left
      .at(-1)
      ?.getByRole('button', { name: /^Approve/ })
      .click();
    await shows(left, 'merge ready');

    for (const page of left) {
      const lines = await page.locator('.story li').allInnerTexts();
      expect(lines.filter((line) => line.includes('the first title'))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('the second title'))).toHaveLength(1);
    }
    await until(() => streams.count === 1);
    expect(streams.leaders).toHaveLength(1);
    await first.context.close();
  });

  itWithBrowser('show what they show anew, after one code for all, when the server was started again', async () => {
    await own.startGated('page-again');
    const first = await own.newTab();
    await first.page.close();
    const pages = await openTabs(first, '/runs/page-again', new Streams());
    await shows(pages, 'Keys count once');
    const port = Number(own.web.address.split(':')[1]);

    await own.web.stop();
    await shows(pages, 'The server does not answer');
    own.web = await serveWebOf(own.world, own.world.folder, { port, signsIn: false });
    const [page] = pages;
    await page?.getByLabel('Code').fill(own.web.url.split('#')[1] ?? '');
    await page?.getByRole('button', { name: 'Sign in' }).click();

    await shows(pages, 'Keys count once');
    await page?.getByRole('button', { name: /^Approve/ }).click();
    await shows(pages, 'merge ready');
    await first.context.close();
  });
});

/** Many tabs of one browser: one stream for all, and clicks that are answered all the same. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { serveWebOf } from '../../support/served-web.js';
import { until } from '../../support/until.js';
import { beforeAllWithBrowser, itWithBrowser } from '../it-with-browser.js';
import { openPageWorld, type PageWorld, type Tab } from '../page-world.js';

const TABS = 8;

let own: PageWorld;

beforeAllWithBrowser(async () => (own = await openPageWorld()));

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

/** Of a browser of their own, which is told to watch. */
async function openTabs(path: string): Promise<{ context: Tab['context']; pages: readonly Page[]; streams: Streams }> {
  const { context, page: first } = await own.newTab();
  await first.close();
  const streams = new Streams();
  const pages: Page[] = [];
  for (let n = 0; n < TABS; n += 1) {
    const page = await context.newPage();
    streams.watch(page);
    await page.goto(`http://${own.web.address}${path}`);
    pages.push(page);
  }
  return { context, pages, streams };
}

const shows = (pages: readonly Page[], text: string) =>
  Promise.all(pages.map((page) => page.getByText(text).first().waitFor()));

/** As the host of a turn that lasts leaves it. */
function plantLiveText(id: string): {
  add(text: string): void;
  addEvery(ms: number, text: string): () => void;
  readonly text: string;
} {
  const folder = join(own.repository.path, '.sluice/runs', id, 'turns/9-executing');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'live.md');
  const add = (text: string) => appendFileSync(file, text);
  return {
    add,
    addEvery(ms, text) {
      const timer = setInterval(() => add(text), ms);
      return () => clearInterval(timer);
    },
    get text() {
      return readFileSync(file, 'utf8');
    },
  };
}

/** By the form of the page: the click is answered once the title stands in the head of that tab. */
async function retitle(page: Page, title: string): Promise<void> {
  const typed = page.getByLabel('Title', { exact: true });
  if (!(await typed.isVisible())) await page.getByText('Another title').click();
  await typed.fill(title);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: title }).waitFor();
}

/** The newest first, as they stand in the page. */
const numbersOf = (lines: readonly Element[]) => lines.map((line) => Number(line.getAttribute('data-seq')));

const numbersIn = (id: string) => {
  const journal = readFileSync(join(own.repository.path, '.sluice/runs', id, 'events.jsonl'), 'utf8');
  const lines = journal.trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly seq: number }).seq).toReversed();
};

const rename = (id: string, title: string) =>
  own.web.ask(`/api/runs/${id}/rename`, { method: 'POST', body: { title, requestId: title } });

describe('eight tabs', () => {
  itWithBrowser('show what an agent says while it says it, by one stream, while clicks are answered', async () => {
    await own.startGated('page-says');
    const said = plantLiveText('page-says');
    said.add('It begins.\n');
    const { context, pages, streams } = await openTabs('/runs/page-says');
    await Promise.all(pages.map((page) => page.getByText('What it says now').click()));
    await shows(pages, 'It begins.');
    await until(() => streams.count === 1);

    const ends = said.addEvery(20, 'It goes on.\n');
    for (const [n, page] of pages.slice(0, 3).entries()) await retitle(page, `title ${n}`);
    await shows(pages, 'calls the run "title 2"');
    const [leader] = streams.leaders;
    await leader?.close();
    const left = pages.filter((page) => page !== leader);
    for (const [n, page] of left.slice(-3).entries()) await retitle(page, `title again ${n}`);
    ends();
    said.add('It ends.\n');

    await shows(left, 'It ends.');
    for (const page of left) expect(await page.locator('.turn pre').first().innerText()).toBe(said.text);
    expect(streams.count).toBe(1);
    await context.close();
  });

  itWithBrowser('go on when the tab that reads is halted by a debugger, and read once when it goes on', async () => {
    await own.startGated('page-halted');
    const { context, pages, streams } = await openTabs('/runs/page-halted');
    await shows(pages, 'Keys count once');
    await until(() => streams.count === 1);
    const [leader] = streams.leaders;
    if (leader === undefined) throw new Error('no tab reads');
    const devtools = await leader.context().newCDPSession(leader);

    await devtools.send('Debugger.enable');
    await devtools.send('Debugger.pause');
    await rename('page-halted', 'while it is halted');
    const left = pages.filter((page) => page !== leader);
    // What it is asked meanwhile it hears when it goes on, before it knows that another reads.
    for (const page of left) await page.evaluate("dispatchEvent(new Event('focus'))");
    await shows(left, 'calls the run "while it is halted"');
    await devtools.send('Debugger.resume');
    await shows([leader], 'calls the run "while it is halted"');
    await rename('page-halted', 'after it');

    await shows(pages, 'calls the run "after it"');
    await until(() => streams.count === 1);
    const told = await Promise.all(pages.map((page) => page.locator('.story li').evaluateAll(numbersOf)));
    expect(told).toEqual(pages.map(() => numbersIn('page-halted')));
    expect(streams.leaders).not.toContain(leader);
    await context.close();
  });

  itWithBrowser('show one run by one stream, answer a click, and go on when the tab that reads is closed', async () => {
    await own.startGated('page-tabs');
    const { context, pages, streams } = await openTabs('/runs/page-tabs');
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
    await context.close();
  });

  itWithBrowser('show what they show anew, after one code for all, when the server was started again', async () => {
    await own.startGated('page-again');
    const { context, pages } = await openTabs('/runs/page-again');
    await shows(pages, 'Keys count once');
    const port = Number(own.web.address.split(':')[1]);
    const asksNothing = await context.newPage();
    await asksNothing.goto(`http://${own.web.address}/`);
    await shows([asksNothing], 'page-again');

    await own.web.stop();
    await shows(pages, 'The server does not answer');
    own.web = await serveWebOf(own.world, own.world.folder, { port, signsIn: false });
    // Before anybody has typed a code, also where only the stream is shown.
    await Promise.all([...pages, asksNothing].map((page) => page.getByLabel('Code').waitFor()));
    const [page] = pages;
    await page?.getByLabel('Code').fill(own.web.url.split('#')[1] ?? '');
    await page?.getByRole('button', { name: 'Sign in' }).click();

    await shows(pages, 'Keys count once');
    await shows([asksNothing], 'page-again');
    await page?.getByRole('button', { name: /^Approve/ }).click();
    await shows(pages, 'merge ready');
    await context.close();
  });
});

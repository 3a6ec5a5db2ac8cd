/** What came out of a run, on its page: patches and texts that are opened, its landing by a click, notices to who looks elsewhere. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { closeAccount } from '../../config/home/closed-accounts.js';
import { journalLine, plantRun } from '../support/planted-runs.js';
import { until } from '../support/until.js';
import { beforeAllWithBrowser, itWithBrowser } from './it-with-browser.js';
import { openPageWorld, type PageWorld } from './page-world.js';

let own: PageWorld;

beforeAllWithBrowser(async () => (own = await openPageWorld()));

// First, since folders that no server knows are looked for twice a minute.
describe('a long run', () => {
  itWithBrowser('shows its newest lines, the next as it comes, and all of them when somebody asks', async () => {
    const folder = plantRun(own.repository.path, 'page-long');
    const journal = join(folder, 'events.jsonl');
    const lines = Array.from({ length: 1_200 }, (_, n) => journalLine(n + 1));
    writeFileSync(journal, lines.join(''));
    const { page, context } = await own.newTab();
    await page.goto(`http://${own.web.address}/runs/page-long`);
    const shown = page.locator('.story li');
    const first = async () => Number(await shown.first().getAttribute('data-seq'));

    await page.getByText('Show all 1200 lines').waitFor();
    const before = [await first(), await shown.count()];
    appendFileSync(journal, journalLine(1_201));
    await until(async () => (await first()) === 1_201);
    const after = await shown.count();
    await page.getByText('Show all 1201 lines').click();

    await until(async () => (await shown.count()) === 1_201);
    expect([before, after]).toEqual([[1_200, 500], 500]);
    expect(await page.getByText(/^Show all/).count()).toBe(0);
    await context.close();
  });
});

describe('a run that is ready', () => {
  itWithBrowser(
    'shows the patch of a file and what a turn said when they are opened, and lands by a click',
    async () => {
      await own.startGated('page-results');
      await own.approve('page-results');
      const { page, faults } = await own.newTab();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`http://${own.web.address}/runs/page-results`);
      await page.getByText('merge ready').waitFor();
      const before = asked.filter((path) => /\/(?:diff|turns)\//.test(path));

      await page.locator('summary', { hasText: 'a.txt' }).click();
      await page.locator('.patch .plus', { hasText: 'changed' }).waitFor();
      const turn = page.getByRole('listitem').filter({ hasText: 'executing turn' }).first();
      await page.getByText('What it said').first().click();
      await page.locator('.turn pre').first().waitFor();
      // A browser of another user keeps what it saves to itself.
      await page.evaluate(`
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => make.call(URL, (globalThis.saved = blob));
      `);
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save a report' }).click();
      const name = (await saved).suggestedFilename();
      const report = await page.evaluate<string>('saved.text()');
      await page.getByRole('button', { name: /^Land on/ }).click();
      await page.getByText('it is asked to land').waitFor();

      expect(before).toEqual([]);
      expect(name).toBe('page-results.html');
      expect(report).toContain('change a.txt (page-results)');
      expect(report).not.toContain('<script');
      expect(await turn.count()).toBeGreaterThan(0);
      await until(async () => (await page.getByText(/landing/).count()) > 0);
      expect(faults).toEqual([]);
    },
  );
});

describe('what does not answer', () => {
  itWithBrowser('is told: a batch that is none, and a limit that only this host remembers', async () => {
    const now = Date.now();
    const expiresAt = new Date(now + 3_600_000).toISOString();
    await closeAccount(own.world.home, { account: 'anthropic/work', until: null, expiresAt, opening: null }, now);
    const { page, context, faults } = await own.newTab();

    await page.goto(`http://${own.web.address}/batches/batch%3Anone`);
    await page.getByText('It does not answer: the server knows no such batch.').waitFor();
    await page.goto(`http://${own.web.address}/limits`);
    await page.getByText('no run waits; this host starts no turn').waitFor();
    const card = await page.locator('.card').innerText();

    expect([card.includes('on this host'), card.includes('waiting')]).toEqual([true, false]);
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe('a notice', () => {
  itWithBrowser(
    'is given once of a gate that opens and of the end, while no tab is in front, and none while one is',
    async () => {
      const { context, page } = await own.newTab();
      await page.close();
      // Playwright has every tab in front; and which notices a browser shows is its own affair.
      await context.addInitScript(`
      globalThis.told = [];
      globalThis.inFront = false;
      document.hasFocus = () => globalThis.inFront;
      globalThis.Notification = class {
        static permission = 'granted';
        constructor(title) { globalThis.told.push(title); }
      };
    `);
      const tabs = [await context.newPage(), await context.newPage()];
      for (const tab of tabs) await tab.goto(`http://${own.web.address}/`);
      for (const tab of tabs) await tab.getByRole('heading', { name: 'Now' }).waitFor();
      const told = async () => (await Promise.all(tabs.map((tab) => tab.evaluate<string[]>('told')))).flat();

      await own.startGated('page-notice', 'Tell me');
      await until(async () => (await told()).some((title) => title.includes('Tell me')));
      await own.approve('page-notice');
      await until(async () => (await told()).includes('Tell me: ready'));
      const behind = await told();
      for (const tab of tabs) await tab.evaluate("inFront = true; dispatchEvent(new Event('focus'))");
      await own.startGated('page-seen', 'Seen already');
      for (const tab of tabs) await tab.getByRole('link', { name: /Seen already/ }).waitFor();

      expect(behind.filter((title) => title === 'Tell me: ready')).toHaveLength(1);
      expect(new Set(behind).size).toBe(behind.length);
      expect(await told()).toEqual(behind);
      await context.close();
    },
  );
});

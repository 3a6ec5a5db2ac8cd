/** The timeline on the page of a run, and `sluice report` opened as a file: the numbers of metrics.json, no request, nothing that was planted runs. */
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { beforeAllWithBrowser, itWithBrowser } from './it-with-browser.js';
import { patient } from './open-browser.js';
import { openPageWorld, type PageWorld } from './page-world.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const RUN_ID = 'page-report';

let own: PageWorld;
let server: Server;
/** Requests that reached the machine's own network. */
let hits = 0;
let folder: string;
let file: string;

beforeAllWithBrowser(async () => {
  server = createServer((_, answer) => {
    hits += 1;
    answer.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // The browser is another user, who may read nothing of the world.
  folder = mkdtempSync(join(tmpdir(), 'sluice-report-'));
  chmodSync(folder, 0o755);
  file = join(folder, 'report.html');
  own = await openPageWorld();
  return {
    async close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
      await own.close();
    },
  };
});

const planted = () =>
  `<img src="http://127.0.0.1:${(server.address() as AddressInfo).port}/x" onerror="alert(1)"> \u202egnp.exe`;

describe('the timeline of a run that waits for a person', () => {
  itWithBrowser('has its open wait dashed, grows, and is drawn whole once the run has ended', async () => {
    await own.startGated(RUN_ID, planted());
    const { page, faults } = await own.newTab();
    await page.goto(`http://${own.web.address}/runs/${RUN_ID}`);
    const open = page.locator('svg rect.lane-people.open');

    await open.waitFor({ state: 'attached' });
    const before = await open.getAttribute('width');
    await until(async () => (await open.getAttribute('width')) !== before);
    const dashes = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('svg rect.lane-people.open')).strokeDasharray",
    );
    await page.getByLabel(/note/).fill(planted());
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('merge ready').first().waitFor();

    await page.locator('svg .mark.gate-approved').waitFor({ state: 'attached' });
    // A cost that no agent told is dashed for good.
    await until(async () => (await page.locator('svg .open:not(.lane-cost)').count()) === 0);
    expect(dashes).toBe('4px, 3px');
    expect(await page.getByRole('img', { name: /Whose time the run took: .*people/ }).count()).toBe(1);
    await page.getByText('The same as tables').click();
    // One, or it is refused.
    await page.getByRole('row', { name: /people gate: gate-1$/ }).waitFor();
    expect(await page.getByRole('row', { name: /gate-1 before executing approved by/ }).count()).toBe(1);
    expect(faults).toEqual([]);
  });
});

describe('the report of that run, opened as a file', () => {
  itWithBrowser.each([
    { colorScheme: 'light', viewport: { width: 1280, height: 800 }, offline: false },
    { colorScheme: 'dark', viewport: { width: 390, height: 844 }, offline: true },
  ] as const)('in $colorScheme, offline: $offline, has all of it, and asks and runs nothing', async (screen) => {
    const { code, stderr } = await own.world.sluice(['report', RUN_ID, '--out', join(own.world.folder, 'r.html')], {
      cwd: own.repository.path,
    });
    expect([code, stderr]).toEqual([0, '']);
    copyFileSync(join(own.world.folder, 'r.html'), file);
    chmodSync(file, 0o644);
    const context = patient(await own.browser.newContext(screen));
    await context.addInitScript({ path: AXE });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('dialog', (dialog) => faults.push(dialog.message()));
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => faults.push(message.text()));

    await page.goto(`file://${file}`);

    expect(await numbersOf(page)).toEqual(knownMetrics());
    const text = await page.innerText('body');
    expect(text.match(/<img src="http[^>]*> <U\+202E>gnp\.exe/g)?.length).toBeGreaterThan(2);
    expect(text).toMatch(/Gate gate-1 before executing.*approved by /);
    expect(await page.locator('script, img, iframe, form, object').count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect([hits, faults]).toEqual([0, []]);
    await context.close();
  });
});

async function numbersOf(page: Page): Promise<readonly number[]> {
  const numbers = await page.evaluate<number[]>("[...document.querySelectorAll('data')].map((one) => +one.value)");
  return numbers.toSorted((a, b) => a - b);
}

function knownMetrics(): readonly number[] {
  const path = join(own.repository.path, '.sluice/runs', RUN_ID, 'metrics.json');
  const metrics = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, number | null>>;
  return Object.values(metrics)
    .filter((value) => value !== null)
    .toSorted((a, b) => a - b);
}

async function axeFaults(page: Page): Promise<unknown> {
  return page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))',
  );
}

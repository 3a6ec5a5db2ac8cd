/** The page in a real browser: what a person sees of runs, decides, and does not lose. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { RunList, type RunRow } from '../../client/http/shapes.js';
import { serveWebOf } from '../support/served-web.js';
import { until } from '../support/until.js';
import { beforeAllWithBrowser, itWithBrowser } from './it-with-browser.js';
import { openBrowser, patient } from './open-browser.js';
import { openPageWorld, type PageWorld } from './page-world.js';

let own: PageWorld;

beforeAllWithBrowser(async () => (own = await openPageWorld()));

describe('the first view', () => {
  itWithBrowser('shows runs as they change, without a reload, and which one waits for a person', async () => {
    const { page, faults } = await own.newTab();
    await page.getByText('No runs yet').waitFor();
    const group = (name: string) => page.locator('section').filter({ has: page.getByRole('heading', { name }) });

    await own.startGated('page-live', 'show <img src=x onerror=alert(1)> \u202egnp.exe');
    await own.startGated('page-second');
    await own.startGated('page-third');

    await group('Needs you').locator('.row').nth(2).waitFor();
    expect(await page.title()).toBe('(3) sluice');
    const row = page.getByRole('listitem').filter({ hasText: 'page-live' });
    expect(await row.innerText()).toContain('show <img src=x onerror=alert(1)> <U+202E>gnp.exe');
    await own.web.ask('/api/runs/page-live/abort', { method: 'POST', body: { requestId: 'end' } });
    await group('Done').getByText('page-live').first().waitFor();
    await own.approve('page-second');
    await group('Ready').getByText('page-second').first().waitFor();
    expect(await page.title()).toBe('(1) sluice');
    expect(await group('Needs you').getByRole('listitem').count()).toBe(1);
    expect(faults).toEqual([]);
  });
});

describe('a list of more than a hundred runs', () => {
  itWithBrowser('has each that waits for a person, and of those that are done the newest hundred', async () => {
    const rows = (['yours', 'done'] as const).flatMap((group) =>
      Array.from({ length: 101 }, (_, n) => listedRow(`${group}-${n}`, group)),
    );
    const source = { kind: 'server', why: null };
    const events = [rows, []].map((some, n) => ({ topic: 'list', whole: n === 0, rows: some, gone: [], source }));
    const { page, context } = await own.newTab();
    await page.route('**/api/stream?*', (route) =>
      route.fulfill({ body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') }),
    );
    await page.goto(`http://${own.web.address}/`);
    await page.getByText('1 more: sluice list --all').waitFor();

    expect([await page.locator('.row.yours').count(), await page.locator('.row.done').count()]).toEqual([101, 100]);
    await context.close();
  });
});

describe('a tab that nobody looks at', () => {
  itWithBrowser('is not drawn, and says in its title how many runs wait', async () => {
    const { context, page } = await own.newTab();
    // As of a tab that is hidden; Playwright shows every one.
    await context.addInitScript('globalThis.requestAnimationFrame = () => 0');
    const waiting = RunList.parse((await own.web.ask('/api/runs')).json).rows.filter(({ group }) => group === 'yours');
    await page.goto(`http://${own.web.address}/`);
    await until(async () => (await page.title()) === `(${waiting.length}) sluice`);

    await own.startGated('page-hidden');

    await until(async () => (await page.title()) === `(${waiting.length + 1}) sluice`);
    expect(await page.getByText('page-hidden').count()).toBe(0);
    await context.close();
  });
});

describe('a gate', () => {
  itWithBrowser('is approved by a click, and the next turn of the agent starts', async () => {
    await own.startGated('page-click');
    const { page, faults } = await own.newTab();
    await page.getByRole('link', { name: /page-click/ }).click();

    await page.getByRole('button', { name: /^Approve/ }).click();

    await page.getByText('executing turn by').waitFor();
    await page.getByText('merge ready').waitFor();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  itWithBrowser('is approved by a key only where its card had the focus for a second', async () => {
    await own.startGated('page-key');
    const { page } = await own.newTab();
    await page.goto(`http://${own.web.address}/runs/page-key`);
    const card = page.getByRole('region', { name: /^Gate gate-1/ });
    await card.waitFor();

    // Of whoever typed something else when the card opened.
    await page.keyboard.press('a');
    await card.focus();
    await page.keyboard.press('a');
    const before = (await own.web.ask('/api/runs/page-key')).json;
    await page.getByText('The keys a and r decide now.').waitFor();
    await page.keyboard.press('a');

    await page.getByText('merge ready').waitFor();
    expect(before).toMatchObject({ gates: [{ status: 'pending' }] });
  });

  itWithBrowser('takes no key that is typed into its note', async () => {
    await own.startGated('page-note');
    const { page } = await own.newTab();
    await page.goto(`http://${own.web.address}/runs/page-note`);
    const note = page.getByLabel(/note/);
    await page.getByRole('region', { name: /^Gate gate-1/ }).focus();
    await page.getByText('The keys a and r decide now.').waitFor();

    await note.pressSequentially('a bar, rather');

    expect((await own.web.ask('/api/runs/page-note')).json).toMatchObject({ gates: [{ status: 'pending' }] });
    await page.getByRole('button', { name: 'Request changes' }).click();
    await until(async () => {
      const { json } = await own.web.ask('/api/runs/page-note');
      return JSON.stringify(json).includes('"changes_requested"');
    });
  });
});

describe('what was typed', () => {
  itWithBrowser('outlives updates, a reload, and a server that was started again and wants a new code', async () => {
    await own.startGated('page-typed');
    const port = Number(own.web.address.split(':')[1]);
    const context = patient(await own.browser.newContext());
    const page = await context.newPage();
    const { code } = await freshCode();
    await page.goto(`http://${own.web.address}/#${code}`);
    await page.getByRole('link', { name: /page-typed/ }).click();
    const note = page.getByLabel(/note/);
    await note.fill('half a thought');

    const key = await page.evaluate<string>("sessionStorage.getItem('sluice.key')");
    const body = { title: 'Renamed', requestId: 'r' };
    await own.web.ask('/api/runs/page-typed/rename', { method: 'POST', body, key });
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    const afterUpdate = await note.inputValue();
    await page.reload();
    const afterReload = await note.inputValue();
    const again = await freshCode(port);
    await page.getByLabel('Code').fill(again.code);
    await page.getByRole('button', { name: 'Sign in' }).click();

    expect([afterUpdate, afterReload, await note.inputValue()]).toEqual([
      'half a thought',
      'half a thought',
      'half a thought',
    ]);
    expect(page.url()).not.toContain(code);
    await context.close();
  });
});

describe('a name of a tunnel', () => {
  itWithBrowser('that needs https says so, where it is called by plain http', async () => {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    appendFileSync(join(own.world.person, '.config/sluice/config.yaml'), `web:\n  hosts: ['tunnel.test:${port}']\n`);
    const web = await serveWebOf(own.world, own.world.folder, { port });
    await using opened = await openBrowser([`--host-resolver-rules=MAP tunnel.test ${web.address.split(':')[0]}`]);
    const page = patient(await opened.browser.newPage());
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));

    await page.goto(`http://tunnel.test:${port}/`);

    await page.getByText('This name needs https').waitFor();
    expect(faults).toEqual([]);
    await web.stop();
  });
});

function listedRow(runId: string, group: RunRow['group']): RunRow {
  const at = '2026-01-01T00:00:00.000Z';
  const nothing = { retrying: null, costMicroUsd: null, repo: null, branch: null, host: null };
  return { runId, title: runId, group, state: 'waits', where: '', since: at, startedAt: at, ...nothing };
}

/** A server whose code nobody has taken. */
async function freshCode(port = Number(own.web.address.split(':')[1])): Promise<{ readonly code: string }> {
  await own.web.stop();
  own.web = await serveWebOf(own.world, own.world.folder, { port, signsIn: false });
  return { code: own.web.url.split('#')[1] ?? '' };
}

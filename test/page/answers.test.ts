/** A question that is answered on the page, two people who decide at once, and what an agent says while it says it. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { until } from '../support/until.js';
import { beforeAllWithBrowser, itWithBrowser } from './it-with-browser.js';
import { openPageWorld, type PageWorld } from './page-world.js';

let own: PageWorld;

beforeAllWithBrowser(async () => {
  const asks = {
    text: 'I must know.',
    question: 'Which name shall the option have?',
    again: { text: 'Plan: --quiet.' },
  };
  own = await openPageWorld({ planning: asks });
  return own;
});

const start = async (id: string, ...more: readonly string[]) => {
  const args = ['run', `change a.txt (${id})`, '--detach', '--run-id', id, '--repo', own.repository.path, ...more];
  expect(await own.world.sluice(args)).toMatchObject({ code: 0 });
};

const isWaiting =
  (id: string) =>
  ({ runId, group }: { readonly runId: string; readonly group: string }): boolean =>
    runId === id && group === 'yours';

describe('a question', () => {
  itWithBrowser(
    'is answered by what is typed, which reaches the next prompt, and the run goes on to its end',
    async () => {
      await start('page-asks');
      const { page, faults } = await own.newTab();
      await page.goto(`http://${own.web.address}/runs/page-asks`);
      await page.getByText('Which name shall the option have?').first().waitFor();
      const answer = page.getByRole('button', { name: 'Answer' });
      const before = await answer.isDisabled();

      await page.getByLabel('Your answer').fill('--quiet, as everywhere');
      await answer.click();
      await page.getByText('merge ready').waitFor();

      const { json } = await own.web.ask('/api/runs/page-asks');
      const [first, second] = (json as { turns: readonly { n: number }[] }).turns;
      const prompts = await Promise.all(
        [first, second].map(async (turn) => (await own.web.ask(`/api/runs/page-asks/turns/${turn?.n}/prompt/0`)).text),
      );
      expect(before).toBe(true);
      expect(prompts.map((prompt) => prompt.includes('--quiet, as everywhere'))).toEqual([false, true]);
      expect(faults).toEqual([]);
    },
  );
});

describe('two people', () => {
  itWithBrowser('who decide at once: one decision counts, and the other is told', async () => {
    await start('page-two', '--gate', 'planning');
    const [one, two] = [await own.newTab(), await own.newTab()];
    for (const { page } of [one, two]) {
      await page.goto(`http://${own.web.address}/runs/page-two`);
      await page.getByRole('button', { name: /^Approve/ }).waitFor();
    }

    await Promise.all([
      one.page.getByRole('button', { name: /^Reject/ }).click(),
      two.page.getByRole('button', { name: /^Reject/ }).click(),
    ]);

    for (const { page } of [one, two]) await page.getByText('blocked', { exact: false }).first().waitFor();
    const { json } = await own.web.ask('/api/runs/page-two');
    expect(json).toMatchObject({ gates: [{ status: 'rejected', resolvedBy: expect.stringContaining('@') }] });
    // The outcome is shown before the lines of the journal are.
    await one.page.locator('.story li', { hasText: 'approval.rejected' }).first().waitFor();
    const lines = await one.page.locator('.story li').allInnerTexts();
    expect(lines.filter((line) => line.includes('approval.rejected'))).toHaveLength(1);
  });
});

describe('a person whose word comes too late', () => {
  itWithBrowser('is told so, and who decided, though the card is gone by then', async () => {
    await start('page-late', '--gate', 'planning');
    const { page, context } = await own.newTab();
    await page.goto(`http://${own.web.address}/runs/page-late`);
    let letGo = () => {};
    const held = new Promise<void>((go) => {
      letGo = go;
    });
    await page.route('**/approve', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: /^Reject/ }).click();
    const { json } = await own.web.ask('/api/runs/page-late');
    const [gate] = (json as { gates: readonly { id: string; commit: string | null }[] }).gates;
    const body = { gate: gate?.id, commit: gate?.commit, decision: 'approve', requestId: 'first' };
    expect(await own.web.ask('/api/runs/page-late/approve', { method: 'POST', body })).toMatchObject({ status: 200 });
    await page.locator('.card.gate').waitFor({ state: 'detached' });

    letGo();

    await page.getByText('Nothing was changed').waitFor();
    await page.getByText('It is approved by').waitFor();
    await context.close();
  });
});

describe('a run that does not answer', () => {
  itWithBrowser('is asked again, though no event tells that it does', async () => {
    await start('page-away', '--gate', 'planning');
    const { page, context } = await own.newTab();
    let isAway = true;
    await page.route('**/api/runs/page-away', async (route) => {
      const answer = await route.fetch();
      const told = isAway ? { told: 'file' } : {};
      await route.fulfill({ json: { ...((await answer.json()) as object), ...told } });
    });
    await page.goto(`http://${own.web.address}/runs/page-away`);
    const warning = page.getByText('The run does not answer just now');
    await warning.waitFor();

    isAway = false;

    await warning.waitFor({ state: 'detached' });
    await context.close();
  });

  itWithBrowser(
    'is heard though its answer takes longer than it is asked again, and is asked once meanwhile',
    async () => {
      await start('page-slow', '--gate', 'planning');
      await own.web.follow(['list'], (events) =>
        events.some((event) => event.topic === 'list' && event.rows.some(isWaiting('page-slow'))),
      );
      const { page, context } = await own.newTab();
      // What the page does after five seconds it does at once.
      await context.addInitScript(`
        for (const name of ['setTimeout', 'setInterval']) {
          const real = globalThis[name];
          globalThis[name] = (does, ms) => real(does, ms === 5000 ? 50 : ms);
        }
      `);
      let [isSlow, asked] = [false, 0];
      let letGo = () => {};
      const held = new Promise<void>((go) => {
        letGo = go;
      });
      await page.route('**/api/runs/page-slow', async (route) => {
        const isHeld = isSlow;
        if (isHeld) asked += 1;
        const answer = await route.fetch();
        if (isHeld) await held;
        const told = isHeld ? {} : { told: 'file' };
        // A page that asked anew has left this answer.
        await route.fulfill({ json: { ...((await answer.json()) as object), ...told } }).catch(() => {});
      });
      await page.goto(`http://${own.web.address}/runs/page-slow`);
      const warning = page.getByText('The run does not answer just now');
      await warning.waitFor();

      isSlow = true;
      await until(() => asked > 0);
      for (let n = 0; n < 10; n += 1) await page.evaluate('new Promise((resolve) => setTimeout(resolve, 5000))');
      letGo();

      await warning.waitFor({ state: 'detached' });
      expect(asked).toBe(1);
      await context.close();
    },
  );
});

describe('what an agent says', () => {
  itWithBrowser('is shown while it says it, in every tab where it is opened', async () => {
    await start('page-says', '--gate', 'planning');
    const { page, context } = await own.newTab();
    const other = await context.newPage();
    await page.getByRole('link', { name: /page-says/ }).waitFor();
    // As the host of a turn that lasts leaves it.
    const folder = join(own.repository.path, '.sluice/runs/page-says/turns/9-planning');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'live.md'), 'I look at the parser.\n');
    for (const tab of [page, other]) {
      await tab.goto(`http://${own.web.address}/runs/page-says`);
      await tab.getByText('What it says now').click();
      await tab.getByText('I look at the parser.').waitFor();
    }

    appendFileSync(join(folder, 'live.md'), '$ npm test\nIt is red: \u202ee\u0301.\n');

    for (const tab of [page, other]) await tab.getByText('It is red: <U+202E>').waitFor();
    const shown = await other.locator('.turn pre').first().innerText();
    expect(shown.match(/I look at the parser/g)).toHaveLength(1);
    await context.close();
  });
});

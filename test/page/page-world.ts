/** A person with an engine, a repository, `sluice web`, and a real Chromium. Everything is of its own, and gone at the end. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { RunPage } from '../../client/http/shapes.js';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import { type CliWorld, openCliWorld } from '../support/cli-world.js';
import { type ServedWeb, serveWebOf } from '../support/served-web.js';
import { fixtureWith, makeRepository, PLAIN_VALIDATION, type TestRepository } from '../support/test-repository.js';
import { type OpenBrowser, openBrowser, patient } from './open-browser.js';

export interface PageWorld {
  readonly world: CliWorld;
  readonly repository: TestRepository;
  web: ServedWeb;
  readonly browser: OpenBrowser['browser'];
  /** A browser of its own, signed in. What the page's own script reports as refused by its policy is kept. */
  newTab(options?: Parameters<OpenBrowser['browser']['newContext']>[0]): Promise<Tab>;
  /** Started, and waiting at the gate before `executing`. */
  startGated(id: string, title?: string): Promise<void>;
  /** The gate that is open, by another than the page's own clicks. */
  approve(id: string): Promise<void>;
  close(): Promise<void>;
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page, and what its policy forbade. */
  readonly faults: readonly string[];
}

/** `stages`: what the scripted agent does in them, in place of its part of a plain run. */
export async function openPageWorld(stages: Parameters<typeof fixtureWith>[0] = {}): Promise<PageWorld> {
  const world = openCliWorld();
  await world.sluice(['up']);
  const folder = join(world.folder, 'of-page');
  mkdirSync(folder);
  const repository = makeRepository(folder, {
    fixture: fixtureWith(stages),
    config: `${PLAIN_VALIDATION}attended: true\n`,
  });
  await addRepository(world.home, repository.path);
  await trustConfig(world.home, repository.path, repository.configText);
  const opened = await openBrowser();
  const parts: PageWorld = {
    world,
    repository,
    browser: opened.browser,
    web: await serveWebOf(world, world.folder),
    newTab: (options) => newTab(parts, options),
    async startGated(id, title = `change a.txt (${id})`) {
      const args = ['run', title, '--detach', '--run-id', id, '--repo', repository.path, '--gate', 'executing'];
      const { code, stderr } = await world.sluice(args);
      if (code !== 0) throw new Error(stderr);
      await parts.web.follow(['list'], (events) =>
        events.some(
          (event) => event.topic === 'list' && event.rows.some((row) => row.runId === id && row.group === 'yours'),
        ),
      );
    },
    async approve(id) {
      const { json } = await parts.web.ask(`/api/runs/${id}`);
      const [gate] = RunPage.parse(json).gates;
      const body = { gate: gate?.id, commit: gate?.commit, decision: 'approve', requestId: `approve-${id}` };
      await parts.web.ask(`/api/runs/${id}/approve`, { method: 'POST', body });
    },
    async close() {
      await opened[Symbol.asyncDispose]();
      await parts.web.stop();
      await world.close();
    },
  };
  return parts;
}

async function newTab({ browser, web }: PageWorld, options = {}): Promise<Tab> {
  const context = patient(await browser.newContext(options));
  await context.addInitScript(`sessionStorage.setItem('sluice.key', ${JSON.stringify(web.key)})`);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text());
  });
  await page.goto(`http://${web.address}/`);
  return { page, context, faults };
}

/**
 * `npm run chaos -- web`: the page's server, worker, guard, server and engine are killed at random while eight tabs of a real browser look at five runs and a person
 * clicks. In the end each tab must show the journal that lies on disk, line by line, and each click must have counted once, or was told as not sent.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { addRepository } from '../../../../config/home/host-list.js';
import { trustConfig } from '../../../../config/home/trust.js';
import { sendSignal } from '../../../../config/system/send-signal.js';
import { findServerBinary } from '../../../../worker/local-engine/server-binary/find-server-binary.js';
import { openBrowser } from '../../../page/open-browser.js';
import { type CliWorld, openCliWorld } from '../../../support/cli-world.js';
import { holdOpen } from '../../../support/close-at-end.js';
import { guardPid } from '../../../support/guard-pid.js';
import { type ServedWeb, serveWebOf } from '../../../support/served-web.js';
import { fixtureWith, makeRepository, PLAIN_FIXTURE, PLAIN_VALIDATION } from '../../../support/test-repository.js';
import { until } from '../../../support/until.js';
import { countMet, neverMet, type Strike } from '../never-met.js';

const TABS = 8;
const RUNS = ['night-0', 'night-1', 'night-2', 'night-3', 'night-4'];
/** Each once in this order, then at random: the guard is there only while agents are at work, which they are at first. */
const VICTIMS = ['guard', 'web', 'worker', 'server', 'engine'] as const;

/** One who is not there, between a death and the next start, is not counted, and somebody else is tried. */
const TRIES_A_KILL = 3;

/** **Unit** ms: everything is up again and has said what it has to say. */
const SETTLES_MS = 60_000;

interface Night {
  readonly kills: number;
  readonly note: (text: string) => void;
}

interface Click {
  readonly runId: string;
  readonly title: string;
  /** What the page said of it. */
  readonly told: string;
}

/** How much went wrong. */
export async function runWebNight({ kills, note }: Night): Promise<number> {
  process.env['SLUICE_TEMPORAL_CLI'] = (await findServerBinary({ onProgress: note })).path;
  const world = openCliWorld();
  const closeWorld = holdOpen(() => world.close());
  // On a signal the campaign closes more than its browser, and ends after that.
  const opening = openBrowser([], { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false });
  const closeBrowser = holdOpen(async () => (await opening)[Symbol.asyncDispose]());
  const opened = await opening;
  const night = new WebNight(world, await opened.browser.newContext());
  try {
    await night.begin();
    const strikes: Strike[] = [];
    while (countMet(strikes) < kills && strikes.length < kills * TRIES_A_KILL) {
      const strike = await night.killOne(strikes.length);
      strikes.push(strike);
      note(`${countMet(strikes)} of ${kills}: ${strike.victim}${strike.isMet ? '' : ', who was not there'}`);
    }
    const faults = [
      ...(await night.judge()),
      ...neverMet(strikes).map((victim) => `no ${victim} was there to be killed`),
    ];
    if (countMet(strikes) < kills) faults.push(`only ${countMet(strikes)} of ${kills} kills met anybody`);
    for (const fault of faults) note(fault);
    const told = night.clicks.filter((click) => click.told !== '').length;
    note(
      `${countMet(strikes)} kills, ${TABS} tabs, ${RUNS.length} runs, ${told} clicks of which was told: ${faults.length} faults`,
    );
    return faults.length;
  } finally {
    await night.end();
    await closeWorld();
    await closeBrowser();
  }
}

class WebNight {
  readonly clicks: Click[] = [];
  private tabs: readonly Page[] = [];
  private web: ServedWeb | null = null;
  private readonly port = 20_000 + Math.floor(Math.random() * 20_000);
  private repo = '';

  constructor(
    private readonly world: CliWorld,
    private readonly context: BrowserContext,
  ) {}

  async begin(): Promise<void> {
    const { world } = this;
    await world.sluice(['up']);
    const folder = join(world.folder, 'of-night');
    mkdirSync(folder);
    // Each turn lasts, so that there is something to kill; the last waits at a gate until the morning.
    const stages = Object.fromEntries(
      Object.entries(PLAIN_FIXTURE.stages).map(([stage, turn]) => [stage, { ...turn, delayMs: 2_000 }]),
    );
    const config = `${PLAIN_VALIDATION}attended: true\n`;
    const repository = makeRepository(folder, { fixture: fixtureWith(stages), config });
    await addRepository(world.home, repository.path);
    await trustConfig(world.home, repository.path, repository.configText);
    this.repo = repository.path;
    for (const runId of RUNS) {
      const args = ['run', `change a.txt (${runId})`, '--detach', '--run-id', runId, '--repo', this.repo];
      await world.sluice([...args, '--gate', 'verifying']);
    }
    this.web = await serveWebOf(world, world.folder, { port: this.port, signsIn: false });
    this.tabs = await Promise.all(Array.from({ length: TABS }, () => this.context.newPage()));
    for (const [n, tab] of this.tabs.entries()) {
      const code = n === 0 ? `#${this.web.url.split('#')[1]}` : '';
      await tab.goto(`http://${this.web.address}/runs/${RUNS[n % RUNS.length]}${code}`);
    }
  }

  /** `n`: so many were before it. */
  async killOne(n: number): Promise<Strike> {
    const victim = VICTIMS[n] ?? VICTIMS[Math.floor(Math.random() * VICTIMS.length)] ?? 'web';
    const click = this.click(n);
    await delay(Math.random() * 1_500);
    const met = this.pidsOf(victim).filter((pid) => sendSignal(pid, 'SIGKILL') === 'sent');
    await delay(Math.random() * 500);
    if (victim === 'web') await this.serveAgain();
    else await this.world.sluice(['up']);
    this.clicks.push(await click);
    return { victim, isMet: met.length > 0 };
  }

  /** One fault a line. */
  async judge(): Promise<readonly string[]> {
    await this.world.sluice(['up']);
    const faults: string[] = [];
    for (const [n, tab] of this.tabs.entries()) {
      const runId = RUNS[n % RUNS.length] ?? '';
      const isSame = async () => (await linesOf(tab)).join('\n') === this.journalOf(runId).join('\n');
      await until(isSame, SETTLES_MS).catch(async () => {
        const [shown, kept] = [await linesOf(tab), this.journalOf(runId)];
        const place = kept.findIndex((line, index) => shown[index] !== line);
        faults.push(
          `tab ${n} shows ${shown.length} lines of the ${kept.length} of ${runId}: "${shown[place]}", not "${kept[place]}"`,
        );
      });
    }
    if (this.clicks.every(({ told }) => told === '')) faults.push('nobody was told of any click, so none was tried');
    for (const { runId, title, told } of this.clicks) {
      const count = this.journalOf(runId).filter((line) => line.endsWith(`calls the run "${title}"`)).length;
      const isTaken = told !== '' && !/^Nothing was|not known/.test(told);
      if (count > 1) faults.push(`"${title}" counted ${count} times`);
      if (isTaken && count === 0) faults.push(`"${title}" was told as "${told}" and did not count`);
      if (told.startsWith('Nothing was') && count > 0) faults.push(`"${title}" was told as not sent and counted`);
    }
    return faults;
  }

  async end(): Promise<void> {
    this.web?.process.process.kill('SIGKILL');
    await this.context.close();
  }

  /** Another title for a run, by the tab that shows it. */
  private async click(n: number): Promise<Click> {
    const place = n % RUNS.length;
    const runId = RUNS[place] ?? '';
    const title = `title ${n}`;
    const tab = this.tabs[place];
    const form = tab?.locator('form').filter({ hasText: 'Rename' });
    try {
      const field = form?.getByLabel('Title');
      if ((await field?.isVisible()) === false) await tab?.locator('summary', { hasText: 'Another title' }).click();
      await field?.fill(title, { timeout: 5_000 });
      await form?.getByRole('button').click({ timeout: 5_000 });
      const told = form?.locator('.told').filter({ hasText: /\S/ });
      await told?.waitFor({ timeout: 60_000 });
      return { runId, title, told: (await told?.innerText()) ?? '' };
    } catch {
      // Nobody was signed in, or the page was being drawn: then nobody was told anything.
      return { runId, title, told: '' };
    }
  }

  private async serveAgain(): Promise<void> {
    this.web = await serveWebOf(this.world, this.world.folder, { port: this.port, signsIn: false });
    const code = this.web.url.split('#')[1] ?? '';
    for (const tab of this.tabs) {
      const field = tab.getByLabel('Code');
      if ((await field.count()) === 0) continue;
      await field.fill(code);
      await tab.getByRole('button', { name: 'Sign in' }).click();
      return;
    }
    // No tab has heard of it yet; the first that asks does.
    await this.tabs[0]?.getByLabel('Code').waitFor();
    await this.tabs[0]?.getByLabel('Code').fill(code);
    await this.tabs[0]?.getByRole('button', { name: 'Sign in' }).click();
  }

  private pidsOf(victim: (typeof VICTIMS)[number]): readonly number[] {
    if (victim === 'web') return [this.web?.process.process.pid ?? []].flat();
    // It has no environment, by which the others are found, and names its home on its command line.
    if (victim === 'guard')
      return [guardPid(this.world.home)].filter((pid) => commandOf(pid).includes(this.world.home));
    return this.world.living().filter((pid) => NAMES[victim].test(commandOf(pid)));
  }

  private journalOf(runId: string): readonly string[] {
    const text = readFileSync(join(this.repo, '.sluice/runs', runId, 'events.jsonl'), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { seq, message } = JSON.parse(line) as { readonly seq: number; readonly message: string };
        return `${seq} ${message}`;
      });
  }
}

const NAMES = {
  worker: /dist\/programs\/worker\.js/,
  server: /temporal server start-dev/,
  engine: /^sluice-engine/,
} as const;

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Oldest first. */
async function linesOf(tab: Page): Promise<readonly string[]> {
  const lines = await tab
    .locator('.story li')
    .evaluateAll((items) =>
      items.map((item) => `${item.getAttribute('data-seq')} ${item.lastElementChild?.textContent}`),
    );
  return lines.toReversed();
}

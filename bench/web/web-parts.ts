/**
 * The parts of the bench `web`: the page in a real Chromium and its server, as a person starts it. Runs and events beyond a few are planted in folders, as
 * runs of another server leave them: what is measured is who reads them. Times are the 95th of 100, of fewer the longest.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Few, Parts } from '../parts.js';
import { add, closedWell, type Measuring, measureBaselines, startRun } from '../plain-run.js';
import { timedProcess } from '../timed-process.js';
import { measureLiveCpu } from './live-cpu.js';
import { measureCalls, measureStreams } from './server-parts.js';
import { nthOf, openPlace, type PagePlace, plantRuns, withPage } from './web-place.js';

const PAGE_FILES = fileURLToPath(new URL('../../dist/page', import.meta.url));
const ASSETS = ['index.html', 'main.js', 'style.css'];

const LIST_OF = 500;
const RUNS_SHOWN = 20;
const EVENTS_OF_A_RUN = 1_000;
const LONGEST_RUN = 2_000;

export function webParts(few: Few): Parts {
  return {
    assets: async ({ samples }) => add(samples, 'assetsKiB', sizeOfAssets()),
    pixel: (measuring) => withPage(measuring, (place) => measurePixels(measuring, place, few(100, 3))),
    click: (measuring) => withPage(measuring, (place) => measureClicks(measuring, place, few(50, 2))),
    list: (measuring) => withPage(measuring, (place) => measureList(measuring, place, few(10, 1))),
    timeline: (measuring) => withPage(measuring, (place) => measureTimeline(measuring, place, few(10, 1))),
    heap: (measuring) => withPage(measuring, (place) => measureHeap(measuring, place)),
    streams: (measuring) => openPlace(measuring, (place) => measureStreams(measuring, place, few(50, 3))),
    calls: (measuring) => measureCalls(measuring, few(60_000, 4_000)),
    live: (measuring) => measureLiveCpu(measuring, few(8, 1)),
    report: (measuring) => measureReport(measuring, few(15, 2)),
  };
}

function sizeOfAssets(): number {
  return ASSETS.reduce((sum, name) => sum + gzipSync(readFileSync(join(PAGE_FILES, name))).length, 0) / 1024;
}

/** From a line in the journal on disk until it is drawn. Both clocks are this machine's. */
async function measurePixels(measuring: Measuring, { page, folder, address }: PagePlace, count: number): Promise<void> {
  const [run] = plantRuns(folder, { count: 1, events: 10, name: 'pixel' });
  if (run === undefined) throw new Error('one run was planted');
  await page.goto(`http://${address}/runs/${run.runId}`);
  await page.locator('.story li').nth(9).waitFor();
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const text = `line ${n} of the bench`;
    const drawn = page.evaluate<number>(`new Promise((done) => {
      const look = () => document.querySelector('.story')?.textContent.includes('${text}.') && done(Date.now());
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    })`);
    // The observer is there once the page has answered something else.
    await page.evaluate('1');
    const wroteAt = Date.now();
    run.append(`${text}.`);
    times.push((await drawn) - wroteAt);
  }
  add(measuring.samples, 'eventToPixelMs', nthOf(times, 0.95));
}

/** From the click until the page says that the run accepted it; the run waits at a gate. */
async function measureClicks(measuring: Measuring, { page, address }: PagePlace, count: number): Promise<void> {
  const handle = await startRun(measuring.host, 'bench-web-click', { gates: ['planning'] });
  await page.goto(`http://${address}/runs/bench-web-click`);
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  await page.locator('summary', { hasText: 'Another title' }).click();
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    await measureBaselines(measuring);
    await page.getByLabel('Title').fill(`title ${n}`);
    times.push(
      await page.evaluate<number>(`new Promise((done, failed) => {
        const form = [...document.querySelectorAll('form')].find((each) => each.textContent.includes('Rename'));
        const began = performance.now();
        const look = () => {
          const told = form.querySelector('.told');
          if (told.classList.contains('bad')) failed(new Error('the run refused: ' + told.textContent));
          else if (told.textContent !== '') done(performance.now() - began);
        };
        new MutationObserver(look)
          .observe(form, { subtree: true, childList: true, characterData: true });
        form.querySelector('button').click();
      })`),
    );
  }
  add(measuring.samples, 'clickMs', nthOf(times, 0.95));
  await handle.executeUpdate('approve', { args: [{}] });
  await closedWell(handle);
}

/** From going there until the last of the runs was told and drawn. */
async function measureList(measuring: Measuring, { page, folder, address }: PagePlace, count: number): Promise<void> {
  plantRuns(folder, { count: LIST_OF, events: 1, name: 'listed' });
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    await page.goto('about:blank');
    const began = Date.now();
    await page.goto(`http://${address}/`);
    await page.locator('.count', { hasText: /^(?:[5-9]\d\d|\d{4,})$/ }).waitFor();
    times.push(Date.now() - began);
  }
  add(measuring.samples, 'listMs', nthOf(times, 0.95));
}

/** What the page's script takes from going there until the timeline of the longest run is drawn. */
async function measureTimeline(
  measuring: Measuring,
  { page, folder, address }: PagePlace,
  count: number,
): Promise<void> {
  const [run] = plantRuns(folder, { count: 1, events: LONGEST_RUN, name: 'longest' });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const scriptMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0);
  };
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    await page.goto(`http://${address}/`);
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    const before = await scriptMs();
    await page.goto(`http://${address}/runs/${run?.runId}`);
    await page.locator('svg').first().waitFor();
    await page.getByRole('button', { name: `Show all ${LONGEST_RUN} lines` }).waitFor();
    // Another document counts from nothing again, in some versions.
    const after = await scriptMs();
    times.push(after >= before ? after - before : after);
  }
  add(measuring.samples, 'timelineMs', nthOf(times, 0.95));
}

/** Of the page, after events of many runs, and after as many again. */
async function measureHeap({ samples }: Measuring, { page, folder, address }: PagePlace): Promise<void> {
  const runs = plantRuns(folder, { count: RUNS_SHOWN, events: EVENTS_OF_A_RUN, name: 'heap' });
  const session = await page.context().newCDPSession(page);
  const heapMb = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await page.evaluate<number>('performance.memory.usedJSHeapSize')) / 1024 / 1024;
  };
  const lookAtAll = async () => {
    for (const { runId } of runs) {
      await page.evaluate(
        `history.pushState(null, '', '/runs/${runId}'); dispatchEvent(new PopStateEvent('popstate'))`,
      );
      await page.getByRole('button', { name: `Show all ${EVENTS_OF_A_RUN} lines` }).click();
      await page
        .locator('.story li')
        .nth(EVENTS_OF_A_RUN - 1)
        .waitFor();
    }
  };
  await page.goto(`http://${address}/`);
  await lookAtAll();
  add(samples, 'heapMb', await heapMb());
  await lookAtAll();
  add(samples, 'heapTwiceMb', await heapMb());
}

async function measureReport(measuring: Measuring, count: number): Promise<void> {
  const { host, samples } = measuring;
  await closedWell(await startRun(host, 'bench-web-report'));
  const sluice = (...args: readonly string[]) =>
    timedProcess([process.execPath, host.cliMain, ...args], { cwd: host.repository, env: host.env });
  for (let n = 0; n < count; n += 1) {
    const help = await sluice('--help');
    const report = await sluice('report', 'bench-web-report', '--out', join(host.folder, 'report.html'));
    add(samples, 'reportMs', report - help);
  }
}

/** `npm run page -- --pictures`: docs/pictures/page-*.png, of real runs of a scripted agent, as a person sees them. */
import { statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { findServerBinary } from '../../worker/local-engine/server-binary/find-server-binary.js';
import { until } from '../support/until.js';
import { openPageWorld, type PageWorld } from './page-world.js';

const FOLDER = 'docs/pictures';
const MAX_BYTES = 400 * 1024;

// A world has a home of its own, where no binary was built.
process.env['SLUICE_TEMPORAL_CLI'] = (await findServerBinary({ onProgress: console.error })).path;
const own = await openPageWorld();
try {
  await makeRuns(own);
  const pictures = [
    await take(own, { name: 'page-now', path: '/', shows: 'Needs you', colorScheme: 'light', height: 560 }),
    await take(own, {
      name: 'page-run',
      path: '/runs/fix-parser',
      shows: 'Keys count',
      colorScheme: 'dark',
      height: 900,
    }),
  ];
  const bytes = pictures.reduce((sum, path) => sum + statSync(path).size, 0);
  if (bytes > MAX_BYTES) throw new Error(`the pictures have ${bytes} bytes; at most ${MAX_BYTES} are for the page`);
  console.log(`wrote ${pictures.join(', ')}: ${bytes} bytes`);
} finally {
  await own.close();
}

async function makeRuns({ world, repository, web, startGated }: PageWorld): Promise<void> {
  const run = (id: string, title: string, ...more: readonly string[]) =>
    world.sluice(['run', title, '--detach', '--run-id', id, '--repo', repository.path, ...more]);
  await run('quiet-flag', 'Add a flag --quiet');
  await run('old-name', 'Keep the old name of the option working');
  await until(async () => JSON.stringify((await web.ask('/api/runs')).json).split('"ready"').length > 4);
  await web.ask('/api/landings/old-name/land', { method: 'POST', body: { requestId: 'land' } });
  await startGated('fix-parser', 'Fix the parser for an empty input');
  await run('slow-tests', 'Find out why the tests are slow', '--gate', 'planning');
}

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly shows: string;
  readonly colorScheme: 'light' | 'dark';
  readonly height: number;
}

async function take(world: PageWorld, { name, path, shows, colorScheme, height }: Picture): Promise<string> {
  const { page, context } = await world.newTab({ colorScheme, viewport: { width: 1000, height } });
  await page.goto(`http://${world.web.address}${path}`);
  await page.getByText(shows).first().waitFor();
  await hidePaths(page);
  const file = `${FOLDER}/${name}.png`;
  await page.screenshot({ path: file });
  await context.close();
  return file;
}

/** Where it was made is of no interest. */
async function hidePaths(page: Page): Promise<void> {
  await page.evaluate(`
    for (const fact of document.querySelectorAll('dd bdi'))
      if (fact.textContent.startsWith('/')) fact.textContent = fact.textContent.replace(/^.*\\/(?=worktrees|repository)/, '~/');
  `);
}

/**
 * Records the kept histories that are missing, one a shape: `node --import tsx test/replay/record-histories.ts`. It starts a server of its own
 * unless SLUICE_TEST_ADDRESS names one, runs the built bundle, and prints each file that it wrote. `--again [shape …]` records anew, until the first
 * tag (docs/decisions/0020-compatibility-starts-at-the-first-tag.md): from then on a kept history stands for runs that may still be open.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { openProgramServer } from '../support/own-server.js';
import { openStubHost } from '../support/stub-host.js';
import { hashedInput } from './kept-commands.js';
import { type Shape, TASK } from './shape.js';
import { SHAPES } from './shapes.js';

const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
const SEARCH_ATTRIBUTES = { SluiceProject: 2, SluiceStatus: 2, SluiceWaiting: 2, SluicePreset: 2 };

const [again, ...named] = process.argv.slice(2);
const fileOf = (name: string) => join(FOLDER, `${name}.json`);
// Of the code as it is built now.
execFileSync(process.execPath, [join(FOLDER, '../../../dist/worker/bundle.js')], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const isWanted = (name: string) =>
  !existsSync(fileOf(name)) || (again === '--again' && (named.length === 0 || named.includes(name)));

mkdirSync(FOLDER, { recursive: true });
const server = process.env['SLUICE_TEST_ADDRESS'] === undefined ? await openProgramServer() : null;
try {
  for (const [name, shape] of Object.entries(SHAPES)) {
    if (!isWanted(name)) continue;
    const text = await record(name, shape);
    writeFileSync(fileOf(name), text);
    console.log(`${fileOf(name)} (${text.split('\n').length - 2} events, ${Math.ceil(text.length / 1024)} KiB)`);
  }
} finally {
  await server?.close();
}

async function record(name: string, shape: Shape): Promise<string> {
  const host = await openStubHost(shape.activities);
  try {
    const { namespace } = host.client.options;
    await host.client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: SEARCH_ATTRIBUTES,
    });
    const id = `history-${name}`;
    const first = await (shape.start?.(host, id) ?? host.start(TASK, id));
    const handle = (await shape.drive?.(first, host)) ?? first;
    if (shape.isEndless !== true) await handle.result();
    return linesOf(historyToJSON(await handle.fetchHistory()));
  } finally {
    await host.close();
  }
}

/** One event a line. Of inputs of activities a hash is kept, and no stack trace: they hold most of the bytes and the paths of a machine. */
function linesOf(text: string): string {
  const { events } = JSON.parse(text) as { events: Record<string, unknown>[] };
  const lines = events.map((event) => {
    const scheduled = event['activityTaskScheduledEventAttributes'];
    if (typeof scheduled === 'object' && scheduled !== null && 'input' in scheduled)
      scheduled.input = hashedInput(scheduled.input ?? {});
    return JSON.stringify(event, (key, value: unknown) => (key === 'stackTrace' ? undefined : value));
  });
  return `{"events":[\n${lines.join(',\n')}\n]}\n`;
}

/** A worker process of the tests: one argument `{start, spec}` as JSON; prints how the command ended, or the error. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectProcesses } from '../../../dist/activities/process/processes.js';

const { start, spec } = JSON.parse(process.argv[2] ?? '');
const never = new AbortController().signal;
let processes = null;
try {
  processes = await connectProcesses(start);
  const prepare = async () => appendFileSync(join(spec.dir, 'prepared'), 'PREPARED\n');
  const end = await processes.run(spec, { prepare, cancel: never, detach: never });
  process.stdout.write(`${JSON.stringify(end)}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`);
} finally {
  await processes?.close();
}

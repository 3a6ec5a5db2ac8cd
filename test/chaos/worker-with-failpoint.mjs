/** A built worker that obeys the failpoint order of its home, as does its guard. Home and server come by environment, as for the plain one. */
import { appendFileSync, existsSync, fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { startWorker } from '../../dist/worker/start-worker.js';
import { fileFailpoint } from './file-failpoint.mjs';

process.umask(0o077);
const home = process.env['SLUICE_HOME'];
const seenFile = join(home, 'activities.log');
let seen = [];
const worker = await startWorker({
  home,
  address: process.env['TEMPORAL_ADDRESS'],
  namespace: process.env['TEMPORAL_NAMESPACE'],
  environment: process.env,
  failpoint: fileFailpoint(home, 'worker', activityUnderWay),
  guardMain: fileURLToPath(new URL('./guard-with-failpoint.mjs', import.meta.url)),
});
process.once('SIGTERM', () => worker.stop());
// As the plain worker: the engine holds a pipe, which ends with it.
if (fstatSync(0).isFIFO() || fstatSync(0).isSocket()) process.stdin.resume().once('end', () => worker.stop());
process.stdout.write('{"type":"ready"}\n');
await worker.done;
process.stdin.destroy();

/**
 * `runTurn 3` is the third turn of its run, in every run of the same course; Temporal's own number also counts the journal's flushes, which may fall together.
 * What was seen is kept in the home, for the workers after this one.
 */
function activityUnderWay() {
  const info = infoOrNull();
  if (info === null) return null;
  const ofType = `${info.workflowExecution?.workflowId} ${info.activityType} `;
  const key = `${ofType}${info.activityId}`;
  if (!seen.includes(key)) {
    seen = existsSync(seenFile) ? readFileSync(seenFile, 'utf8').split('\n') : [];
    if (!seen.includes(key)) {
      appendFileSync(seenFile, `${key}\n`);
      seen.splice(-1, 0, key);
    }
  }
  return `${info.activityType} ${seen.filter((line) => line.startsWith(ofType)).indexOf(key) + 1}`;
}

function infoOrNull() {
  try {
    return Context.current().info;
  } catch {
    return null;
  }
}

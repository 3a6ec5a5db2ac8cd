/** A built worker that obeys the failpoint order of its home, as does its guard. Home and server come by environment, as for the plain one. */
import { appendFileSync, existsSync, fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import programs from '../../dist/programs/start-worker.js';
import { fileFailpoint } from './file-failpoint.mjs';

const { startWorker } = programs;

process.umask(0o077);
const home = process.env['SLUICE_HOME'];
const seenFile = join(home, 'activities.log');
let seen = [];
const worker = await startWorker({
  home,
  address: process.env['TEMPORAL_ADDRESS'],
  namespace: process.env['TEMPORAL_NAMESPACE'],
  environment: process.env,
  failpoint: fileFailpoint(
    home,
    'worker',
    activityUnderWay,
    () => infoUnderWay()?.workflowExecution?.workflowId ?? null,
  ),
  guardMain: fileURLToPath(new URL('./guard-with-failpoint.mjs', import.meta.url)),
});
process.once('SIGTERM', () => worker.stop());
// As the plain worker: the engine holds a pipe, which ends with it.
if (fstatSync(0).isFIFO() || fstatSync(0).isSocket()) process.stdin.resume().once('end', () => worker.stop());
process.stdout.write('{"type":"ready"}\n');
await worker.done;
process.stdin.destroy();

/**
 * `runTurn 3` is the third turn of its run, in every run of the same course; Temporal's own number also counts the journal's flushes, which may fall together, and begins anew
 * in each execution. What was seen is kept in the home, for the workers after this one.
 */
function activityUnderWay() {
  const info = infoUnderWay();
  if (info === undefined) return null;
  const { workflowId, runId } = info.workflowExecution ?? {};
  const ofType = `${workflowId} ${info.activityType} `;
  const key = `${ofType}${runId}/${info.activityId}`;
  if (!seen.includes(key)) {
    seen = existsSync(seenFile) ? readFileSync(seenFile, 'utf8').split('\n') : [];
    if (!seen.includes(key)) {
      appendFileSync(seenFile, `${key}\n`);
      seen.splice(-1, 0, key);
    }
  }
  return `${info.activityType} ${seen.filter((line) => line.startsWith(ofType)).indexOf(key) + 1}`;
}

/** Where the SDK keeps the context of an activity, for each of its copies in a process: here it is in a bundle. */
function infoUnderWay() {
  return globalThis[Symbol.for('__temporal_activity_context_storage__')]?.getStore()?.info;
}

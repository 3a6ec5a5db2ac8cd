/** The built worker, which notes the points it passes, as does its guard. Home and server come by environment, as for the plain one. */
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { startWorker } from '../../dist/worker/start-worker.js';
import { notePoints } from './note-points.mjs';

process.umask(0o077);
const home = process.env['SLUICE_HOME'];
const worker = await startWorker({
  home,
  address: process.env['TEMPORAL_ADDRESS'],
  namespace: process.env['TEMPORAL_NAMESPACE'],
  environment: process.env,
  failpoint: notePoints(home, 'worker', activityUnderWay),
  guardMain: fileURLToPath(new URL('./guard.mjs', import.meta.url)),
});
process.once('SIGTERM', () => worker.stop());
// As the plain worker: the engine holds a pipe, which ends with it.
process.stdin.resume().once('end', () => worker.stop());
process.stdout.write('{"type":"ready"}\n');
await worker.done;
process.stdin.destroy();

function activityUnderWay() {
  try {
    const { activityType, activityId } = Context.current().info;
    return `${activityType} ${activityId}`;
  } catch {
    return null;
  }
}

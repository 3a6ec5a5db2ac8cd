/** A built worker that dies at the failpoint of its home, and whose guard dies at it. Home and server come by environment, as for the plain one. */
import { fileURLToPath } from 'node:url';
import { startWorker } from '../../dist/worker/start-worker.js';
import { fileFailpoint } from './file-failpoint.mjs';

process.umask(0o077);
const home = process.env['SLUICE_HOME'];
const worker = await startWorker({
  home,
  address: process.env['TEMPORAL_ADDRESS'],
  namespace: process.env['TEMPORAL_NAMESPACE'],
  environment: process.env,
  failpoint: fileFailpoint(home),
  guardMain: fileURLToPath(new URL('./guard-with-failpoint.mjs', import.meta.url)),
});
process.stdout.write('{"type":"ready"}\n');
await worker.done;

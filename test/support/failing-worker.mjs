/** The built worker, one of whose workers of Temporal fails for good at SIGUSR2, and leaves its connection held. It serves the command line, as that of an engine. */
import { once } from 'node:events';
import { NativeConnection, Worker } from '@temporalio/worker';

const { run } = Worker.prototype;
let isFirst = true;
Worker.prototype.run = function () {
  const running = run.call(this);
  if (!isFirst) return running;
  isFirst = false;
  const failing = once(process, 'SIGUSR2').then(() => Promise.reject(new Error('its polls failed')));
  return Promise.race([running, failing]);
};
// As where a worker that failed holds it still.
NativeConnection.prototype.close = () => Promise.reject(new Error('workers hold a reference to it'));
process.argv.push('--serve-calls');
await import('../../dist/worker/main.js');

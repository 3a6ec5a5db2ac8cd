/** The built worker, one of whose workers of Temporal fails for good at SIGUSR2. It serves the command line, as that of an engine. */
import { once } from 'node:events';
import { Worker } from '@temporalio/worker';

const { run } = Worker.prototype;
let isFirst = true;
Worker.prototype.run = function () {
  const running = run.call(this);
  if (!isFirst) return running;
  isFirst = false;
  const failing = once(process, 'SIGUSR2').then(() => Promise.reject(new Error('its polls failed')));
  return Promise.race([running, failing]);
};
process.argv.push('--serve-calls');
await import('../../dist/worker/main.js');

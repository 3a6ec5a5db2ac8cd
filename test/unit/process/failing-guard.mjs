/** A guard that kills itself, once, at the failpoint named in `<home>/failpoint`, and notes in `<home>/fired` that it was there. */
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readGuardOptions } from '../../../dist/activities/process/guard/guard-options.js';
import { runGuard } from '../../../dist/activities/process/guard/run-guard.js';

const options = readGuardOptions(process.argv[2]);
const order = join(options.home, 'failpoint');

await runGuard({
  ...options,
  failpoint: (name) => {
    if (existsSync(order) && readFileSync(order, 'utf8') === name) {
      rmSync(order);
      appendFileSync(join(options.home, 'fired'), `${name}\n`);
      process.kill(process.pid, 'SIGKILL');
    }
  },
});

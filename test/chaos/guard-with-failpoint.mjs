/** A guard that obeys the failpoint order of its home. Started by `worker-with-failpoint.mjs`. */
import { readGuardOptions } from '../../dist/activities/process/guard/guard-options.js';
import { runGuard } from '../../dist/activities/process/guard/run-guard.js';
import { fileFailpoint } from './file-failpoint.mjs';

const options = readGuardOptions(process.argv[2]);

await runGuard({ ...options, failpoint: fileFailpoint(options.home, 'guard') });

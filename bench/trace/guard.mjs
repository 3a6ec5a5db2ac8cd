/** The built guard, which notes the points it passes. Started by `worker.mjs`. */
import { readGuardOptions } from '../../dist/activities/process/guard/guard-options.js';
import { runGuard } from '../../dist/activities/process/guard/run-guard.js';
import { notePoints } from './note-points.mjs';

const options = readGuardOptions(process.argv[2]);

await runGuard({ ...options, failpoint: notePoints(options.home, 'guard') });

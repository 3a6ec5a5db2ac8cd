/** The guard's entry: one argument, the options as JSON. Started by `connectProcesses`, never by hand. */
import { closeForeignDescriptors } from '../../../config/foreign-descriptors.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { readGuardOptions } from './guard-options.js';
import { runGuard } from './run-guard.js';

closeForeignDescriptors();
await runGuard({ ...readGuardOptions(process.argv[2]), failpoint: noFailpoint });

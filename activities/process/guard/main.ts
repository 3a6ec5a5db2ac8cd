/** The guard's entry: one argument, the options as JSON. Started by `connectProcesses`, never by hand; whoever starts it reads its last words. */
import { closeForeignDescriptors } from '../../../config/system/foreign-descriptors.js';
import { sayLastWords } from '../../../config/system/last-words.js';
import { noFailpoint } from '../../../protocol/failpoints.js';

sayLastWords({ now: 'The guard has ended; no run is lost.' });
closeForeignDescriptors();
void Promise.all([import('./guard-options.js'), import('./run-guard.js')]).then(
  ([{ readGuardOptions }, { runGuard }]) => runGuard({ ...readGuardOptions(process.argv[2]), failpoint: noFailpoint }),
);

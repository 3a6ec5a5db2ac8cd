/** The entry of the `sluice` program. All else is loaded once it can say what the machine ran out of: loading opens a hundred files at a time. */
import { closeForeignDescriptors } from '../../config/system/foreign-descriptors.js';
import { sayLastWords } from '../../config/system/last-words.js';

sayLastWords({ now: 'What was started before goes on; see: sluice list' });
closeForeignDescriptors(process.argv);
void import('./run-program.js').then(async ({ runProgram }) => process.exit(await runProgram(process.argv.slice(2))));

/** The detached process `sluice-engine`; run-engine.ts tells its exit codes. Its last words stand in the engine's log. */
import { sayLastWords } from '../../config/system/last-words.js';
import { noFailpoint } from '../../protocol/failpoints.js';

sayLastWords({ now: 'The engine has ended; no run is lost.' });
void import('./run-engine.js').then(({ runEngine }) => runEngine(process.argv[2], noFailpoint));

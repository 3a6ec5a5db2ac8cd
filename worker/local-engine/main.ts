/** The detached process `sluice-engine`; run-engine.ts tells its exit codes. */
import { noFailpoint } from '../../protocol/failpoints.js';
import { runEngine } from './run-engine.js';

await runEngine(process.argv[2], noFailpoint);

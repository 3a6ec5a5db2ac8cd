/** A local engine that obeys the failpoint order of its home. */
import { runEngine } from '../../dist/worker/local-engine/run-engine.js';
import { fileFailpoint } from './file-failpoint.mjs';

await runEngine(process.argv[2], fileFailpoint(process.env['SLUICE_HOME'], 'engine'));

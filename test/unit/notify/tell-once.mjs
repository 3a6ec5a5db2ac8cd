/** A process that tells the program of its first argument, for a test that kills it meanwhile. */
import { runSinkProgram } from '../../../dist/activities/notify/run-sink-program.js';

const [program = '', cwd = '/'] = process.argv.slice(2);
const sink = {
  command: [program],
  env: { PATH: process.env['PATH'] ?? '' },
  cwd,
  forbidden: [],
  limitMs: 1_000,
};
await runSinkProgram(sink, '{}\n', new AbortController().signal);

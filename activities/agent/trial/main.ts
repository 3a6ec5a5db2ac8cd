/**
 * The process behind `sluice doctor --call`: one line of JSON in (`AgentTrial`), one out (`AgentTrialResult`). Apart from the command line,
 * which knows no adapter. It ends its agent when it is told to end, or when whoever started it is gone.
 */
import { createInterface } from 'node:readline';
import { closeForeignDescriptors } from '../../../config/system/foreign-descriptors.js';
import type { AgentTrial } from '../../../protocol/actors/agent-trial.js';
import { tryAgent } from './try-agent.js';

const LIMIT_MS = 60_000;

closeForeignDescriptors();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

const lines = createInterface({ input: process.stdin });
lines.once('close', () => stopping.abort());
lines.once('line', (line) => {
  // Written by `sluice doctor` of the same version.
  const trial = JSON.parse(line) as AgentTrial;
  void tryAgent(trial, { environment: process.env, limitMs: LIMIT_MS, stop: stopping.signal }).then((result) => {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    lines.close();
  });
});

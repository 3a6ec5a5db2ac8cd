/**
 * The process behind `sluice doctor --call`: one line of JSON in (`AgentTrial`), one out (`AgentTrialResult`). Apart from the command line,
 * which knows no adapter. It ends its agent when it is told to end, or when whoever started it is gone.
 */
import { answerLine } from '../../../config/system/answer-line.js';
import type { AgentTrial } from '../../../protocol/actors/agent-trial.js';
import { tryAgent } from './try-agent.js';

const LIMIT_MS = 60_000;

answerLine((trial, stop) =>
  // Written by `sluice doctor` of the same version.
  tryAgent(trial as AgentTrial, { environment: process.env, limitMs: LIMIT_MS, stop }),
);

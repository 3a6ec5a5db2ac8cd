/**
 * The public facade, what a program of yours imports from `sluice`: start runs, follow them, list them, send them messages, keep batches and limits.
 * Everything else in this package is the engine's own and may change from one version to the next.
 */
export type { RunInput, RunResult } from '../protocol/messages/messages.js';
export type { RunDetails, RunView } from '../protocol/messages/run-view.js';
export { makeRunId } from '../protocol/run/run-id.js';
export type {
  ListedRun,
  MessageToSend,
  RunExecution,
  Sent,
  Sluice,
  SluiceOptions,
  StartedRun,
  StartRun,
} from './sluice.js';
export { createSluice } from './sluice.js';

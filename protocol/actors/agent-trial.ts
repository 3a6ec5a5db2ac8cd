/**
 * What `sluice doctor --call` asks of one agent, and what came of it: one JSON value each, between the command line and
 * `activities/agent/trial/main.ts`.
 */
import type { TurnOutcome } from '../run/outcomes.js';
import type { Adapter } from '../run/policy.js';

export interface AgentTrial {
  readonly adapter: Adapter;
  /** Absolute path. */
  readonly program: string;
  /** Arguments that it cannot do without. */
  readonly args: readonly string[];
  /** Names of the variables that it is passed beside the allowlist. */
  readonly passEnv: readonly string[];
}

/** **Unit** tokens, integer micro-dollars, ms. Null: the agent does not say. `outcome.why` is redacted. */
export interface AgentTrialResult {
  readonly outcome: TurnOutcome;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
  readonly durationMs: number;
}

/**
 * The environment of one turn: the run's allowlisted base, what the adapter sets, what the trusted config adds for this agent, and where the
 * turn stands. The engine's own names come last, so that no config can lie about the stage. The decision code is not among them.
 */
import type { TurnRequest } from '../contract.js';

export function makeTurnEnvironment(
  turn: TurnRequest,
  ofAdapter: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const model = turn.stagePolicy.model ?? turn.config.model;
  const { effort } = turn.stagePolicy;
  return {
    ...turn.env,
    ...ofAdapter,
    ...turn.config.env,
    SLUICE_STAGE: turn.stage,
    SLUICE_ROUND: String(turn.round),
    ...(turn.step === undefined ? {} : { SLUICE_STEP: String(turn.step) }),
    ...(model === null ? {} : { SLUICE_MODEL: model }),
    ...(effort === null ? {} : { SLUICE_EFFORT: effort }),
  };
}

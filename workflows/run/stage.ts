/** One stage of the lifecycle: takes its turn or its checks, keeps what came of it, and says which stage follows or how the run ends. */
import { firstEvidence, stageAfter } from '../../protocol/run/next-stage.js';
import { isDecisionStage, isInRound, isTurnStage, STAGE_ROWS, type Stage } from '../../protocol/run/stages.js';
import type { Ending, StageEnd } from './ending.js';
import { keepTurn } from './keep-turn.js';
import type { LiveRun } from './live-run.js';
import { afterReview, decide, requestFixesOfRedChecks } from './review.js';
import type { RunState } from './run-state.js';
import { takeTurn } from './turn.js';
import { takeValidation } from './validation.js';
import { stepsIn, takeStep } from './work/take-step.js';

export async function takeStage(run: LiveRun, stage: Stage): Promise<StageEnd> {
  if (!isTurnStage(stage)) return afterValidation(run, stage, await takeValidation(run, stage));
  const steps = stepsIn(run, stage);
  if (steps !== null) return takeStep(run, steps);
  const isReview = STAGE_ROWS[stage].decides === 'review';
  if (isReview && requestFixesOfRedChecks(run)) return afterReview(run, stage);
  const continues = isInRound(stage) ? run.facts.writeTurn : null;
  const first = await takeTurn(run, { stage, previousTurn: null, continues });
  const turn = first.kind === 'done' && isDecisionStage(stage) ? await decide(run, stage, first) : first;
  if (turn.kind === 'ended') return turn;
  if (turn.kind === 'tree_changed') return { kind: 'next', to: firstEvidence(run.policy.stages) };
  keepTurn(run, stage, turn);
  return isReview ? afterReview(run, stage) : { kind: 'next', to: stageAfter(run.policy.stages, stage) };
}

/** A review that approved this very commit is not taken again. */
function afterValidation({ facts, head, policy }: RunState, stage: Stage, ending: Ending | null): StageEnd {
  if (ending !== null) return { kind: 'ended', ending };
  const next = stageAfter(policy.stages, stage);
  const reviewed =
    facts.finalDecision === 'APPROVED' && facts.evidence.review === head && facts.validation !== 'failed';
  const skips = reviewed && next !== 'completion' && STAGE_ROWS[next].decides === 'review';
  return { kind: 'next', to: skips ? stageAfter(policy.stages, next) : next };
}

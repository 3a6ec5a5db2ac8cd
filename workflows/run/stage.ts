/** One stage of the lifecycle: takes its turn or its checks, keeps what came of it, and says which stage follows or how the run ends. */
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import { firstEvidence, stageAfter } from '../../protocol/run/next-stage.js';
import {
  isDecisionStage,
  isInRound,
  isTurnStage,
  mayWrite,
  STAGE_ROWS,
  type Stage,
  type TurnStage,
} from '../../protocol/run/stages.js';
import { causeOf } from '../gates/gate-book.js';
import type { Ending, StageEnd } from './ending.js';
import type { LiveRun } from './live-run.js';
import { afterReview, decide, requestFixesOfRedChecks } from './review.js';
import type { RunState } from './run-state.js';
import { takeTurn } from './turn.js';
import { takeValidation } from './validation.js';

export async function takeStage(run: LiveRun, stage: Stage): Promise<StageEnd> {
  if (!isTurnStage(stage)) return afterValidation(run, stage, await takeValidation(run, stage));
  const isReview = STAGE_ROWS[stage].decides === 'review';
  if (isReview && requestFixesOfRedChecks(run)) return afterReview(run, stage);
  const continues = isInRound(stage) ? run.facts.writeTurn : null;
  const first = await takeTurn(run, { stage, previousTurn: null, continues });
  const turn = first.kind === 'done' && isDecisionStage(stage) ? await decide(run, stage, first) : first;
  if (turn.kind === 'ended') return turn;
  if (turn.kind === 'tree_changed') return { kind: 'next', to: firstEvidence(run.policy.stages) };
  if (mayWrite(stage)) run.facts.writeTurn = turn.place;
  keep(run, stage, turn.result);
  return isReview ? afterReview(run, stage) : { kind: 'next', to: stageAfter(run.policy.stages, stage) };
}

/** What later prompts and gates need of a finished turn. */
function keep(run: RunState, stage: TurnStage, result: RunTurnResult): void {
  const { facts } = run;
  const { leaves, decides } = STAGE_ROWS[stage];
  if (leaves.context !== null) facts.context = { ...facts.context, [leaves.context]: result.output };
  if (decides === 'review') facts.context = { ...facts.context, findings: result.findings };
  const { request } = result;
  if (request?.kind === 'approval') {
    run.gates.ask(
      causeOf('agent', `the ${stage} turn asks for a person: ${request.reason}`, {
        requestedAction: request.action,
        riskLevel: request.risk,
      }),
    );
  }
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

/** One stage of the lifecycle: takes its turn or its checks, keeps what came of it, and says which stage follows or how the run ends. */
import type { Stage, TurnStage } from '../protocol/lifecycle.js';
import type { RunTurnResult } from '../protocol/messages.js';
import type { RunContext } from './context.js';
import type { Ending, StageEnd } from './ending.js';
import { causeOf } from './gate-book.js';
import { firstEvidence, stageAfter } from './next-stage.js';
import { afterReview, decide, requestFixesOfRedChecks } from './review.js';
import type { RunState } from './run-state.js';
import { takeTurn } from './turn.js';
import { takeValidation } from './validation.js';

export async function takeStage(context: RunContext, stage: Stage): Promise<StageEnd> {
  const { run } = context;
  if (stage === 'validating') return afterValidation(run, await takeValidation(context));
  if (stage === 'reviewing' && requestFixesOfRedChecks(run)) return afterReview(run);
  const first = await takeTurn(context, {
    stage,
    previousTurn: null,
    continues: stage === 'fixing' ? (run.facts.writeTurn ?? null) : null,
  });
  const turn = first.kind === 'done' && (stage === 'reviewing' || stage === 'verifying') ? await decide(context, stage, first) : first;
  if (turn.kind === 'ended') return turn;
  if (turn.kind === 'tree_changed') return { kind: 'next', to: firstEvidence(run.policy.stages) };
  if (stage === 'executing' || stage === 'fixing') run.facts.writeTurn = turn.place;
  keep(run, stage, turn.result);
  return stage === 'reviewing' ? afterReview(run) : { kind: 'next', to: stageAfter(run.policy.stages, stage) };
}

/** What later prompts and gates need of a finished turn. */
function keep(run: RunState, stage: TurnStage, result: RunTurnResult): void {
  const { facts } = run;
  if (stage === 'planning') facts.context = { ...facts.context, plan: result.output };
  if (stage === 'architecting') facts.context = { ...facts.context, architecture: result.output };
  if (stage === 'reviewing') facts.context = { ...facts.context, review: result.output, findings: result.findings ?? null };
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
function afterValidation(run: RunState, ending: Ending | null): StageEnd {
  if (ending !== null) return { kind: 'ended', ending };
  const { stages } = run.policy;
  const next = stageAfter(stages, 'validating');
  const reviewed = run.facts.finalDecision === 'APPROVED' && run.facts.evidence.review === run.head && run.facts.validation !== 'failed';
  return { kind: 'next', to: next === 'reviewing' && reviewed ? stageAfter(stages, 'reviewing') : next };
}

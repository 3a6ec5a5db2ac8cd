/** One agent turn: schedule it, take over what it answers, ask once more for an unreadable decision (V-33), and say whether the run ends here. */
import { uuid4 } from '@temporalio/workflow';
import type { TurnStage } from '../protocol/lifecycle.js';
import { MAX_READ_ONLY_VIOLATIONS } from '../protocol/limits.js';
import type { RunTurnInput, RunTurnResult } from '../protocol/messages.js';
import type { DecisionReading } from '../protocol/outcomes.js';
import type { Place } from '../protocol/place.js';
import { turnHost } from './activity-options.js';
import { blocked, type Ending, endingOfDecision, endingOfTurn } from './ending.js';
import type { Presenter } from './present.js';
import type { RunState } from './run-state.js';

const WRITES: readonly TurnStage[] = ['executing', 'fixing'];

export interface RunContext {
  readonly run: RunState;
  readonly presenter: Presenter;
}

/** Null: the stage is done and the run goes on. */
export async function takeTurn(context: RunContext, stage: TurnStage): Promise<Ending | null> {
  const { run } = context;
  const place = run.nextPlace();
  const result = await schedule(context, { stage, place, previousTurn: null });
  const ending = endingOfTurn(stage, result.outcome, WRITES.includes(stage)) ?? endingOfViolations(run);
  if (ending !== null) return ending;
  if (WRITES.includes(stage)) run.facts.wroteCode = true;
  if (stage === 'planning') run.facts.plan = result.output;
  if (stage === 'architecting') run.facts.architecture = result.output;
  if (stage === 'reviewing' || stage === 'verifying') return decide(context, stage, { place, result });
  return null;
}

async function decide(
  context: RunContext,
  stage: 'reviewing' | 'verifying',
  first: { place: Place; result: RunTurnResult },
): Promise<Ending | null> {
  const { run } = context;
  let { result } = first;
  if (result.decision === null || result.decision.kind === 'unreadable') {
    result = await schedule(context, { stage, place: run.nextPlace(), previousTurn: first.place });
    const ending = endingOfTurn(stage, result.outcome, false) ?? endingOfViolations(run);
    if (ending !== null) return ending;
  }
  const reading: DecisionReading = result.decision ?? { kind: 'unreadable' };
  recordDecision(run, stage, reading);
  if (stage === 'reviewing') run.facts.review = result.output;
  return endingOfDecision(reading, stage);
}

/** Unreadable twice counts as the safe answer (V-33). */
function recordDecision(run: RunState, stage: 'reviewing' | 'verifying', reading: DecisionReading): void {
  const about = { source: 'agent', commit: run.facts.headSha ?? run.open.baseSha, round: run.facts.round } as const;
  if (stage === 'reviewing') {
    const value = reading.kind === 'review' ? reading.value : 'BLOCKED';
    run.facts.finalDecision = value;
    run.note('review.decision', `review: ${value}`, { value, ...about });
  } else {
    const value = reading.kind === 'verification' ? reading.value : 'NEEDS_HUMAN';
    run.facts.verification = value;
    run.note('verification.decision', `verification: ${value}`, { value, ...about });
  }
}

async function schedule(
  { run, presenter }: RunContext,
  turn: { stage: TurnStage; place: Place; previousTurn: Place | null },
): Promise<RunTurnResult> {
  const { stage, place } = turn;
  const { policy, hostId, baseSha } = run.open;
  const { agent, adapter, model } = policy.agentOf[stage];
  run.facts.agent = { name: agent, adapter };
  run.facts.turn = place.seq;
  const who = `${agent}${adapter === 'scripted' ? ' (scripted)' : ''}`;
  const what = turn.previousTurn === null ? `${stage} turn` : `${stage}: no readable decision, asked once more,`;
  run.note('turn.started', `${what} by ${who}`, { stage, round: run.facts.round, seq: place.seq, agent, adapter, model });
  presenter.show();
  const input: RunTurnInput = {
    ...turn,
    run: run.ref,
    round: run.facts.round,
    ask: turn.previousTurn === null ? 'work' : 'decision',
    decisionCode: uuid4().slice(0, 8),
    expectedHead: run.facts.headSha ?? baseSha,
    context: {
      plan: run.facts.plan,
      architecture: run.facts.architecture,
      validation: run.facts.validationReport,
      review: run.facts.review,
    },
    journal: run.batch(),
  };
  const result = await turnHost(hostId, policy, stage).runTurn.executeWithOptions({ summary: `${stage} · ${agent}` }, [input]);
  takeOver(run, stage, result);
  return result;
}

function takeOver(run: RunState, stage: TurnStage, result: RunTurnResult): void {
  run.acknowledge(result.journalSeq);
  run.facts.headSha = result.head;
  run.observe(result.observations);
  if (result.rolledBack) run.facts.readOnlyViolations += 1;
  if (result.outcome.kind === 'policy_violation') run.facts.diffViolations += 1;
}

function endingOfViolations(run: RunState): Ending | null {
  return run.facts.readOnlyViolations >= MAX_READ_ONLY_VIOLATIONS
    ? blocked('policy_violation', 'read-only turns changed the worktree twice; both changes were rolled back')
    : null;
}

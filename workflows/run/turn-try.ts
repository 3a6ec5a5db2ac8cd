/** One try of a turn: a place of its own, one host activity, and what its answer changes in the run's state. */
import { uuid4 } from '@temporalio/workflow';
import type { AfterOverflow, PersonNote, RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import type { StepOfTurn } from '../../protocol/messages/run-steps.js';
import type { PermissionAnswer } from '../../protocol/run/outcomes.js';
import type { Place } from '../../protocol/run/place.js';
import type { StageAgent } from '../../protocol/run/policy.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { turnHost } from '../activity-options.js';
import { toldBy, withTurn } from '../turns/budget.js';
import type { Used } from '../turns/day-budget.js';
import { saidBy } from './ending.js';
import type { LiveRun } from './live-run.js';
import type { RunState } from './run-state.js';

export interface Turn {
  readonly stage: TurnStage;
  /** Of the turn whose answer was unreadable; null: the work itself is asked for. */
  readonly previousTurn: Place | null;
  /** Whose conversation is gone on with, where the same agent works again; null: a new one. */
  readonly continues: Place | null;
  /** Begin with this agent instead of the stage's own: it gave the answer that is asked about. */
  readonly fallback?: string | null;
  /** Of the plan, where the stage is made by its steps. */
  readonly step?: StepOfTurn;
  /** What people said to earlier turns of the same work, to be told to this one as well; what they say to this one is added. Missing: nothing before it counts. */
  readonly heard?: PersonNote[];
}

export interface Try extends Used {
  readonly place: Place;
  readonly result: RunTurnResult;
  readonly expectedHead: string;
}

export interface TurnToTry extends Omit<Turn, 'fallback'> {
  readonly notes: readonly PersonNote[];
  readonly permissions: readonly PermissionAnswer[];
  /** Name of the fallback agent; null: the stage's own works. */
  readonly fallback: string | null;
  /** Of the stage's own agent; null: the turn was not too long for it. */
  readonly afterOverflow: AfterOverflow | null;
}

export async function tryTurn(run: LiveRun, turn: TurnToTry): Promise<Try> {
  const { quota } = run;
  const { stage } = turn;
  const worker = workerOf(run.agentOf(stage), turn);
  const place = run.nextPlace();
  announce(run, { turn, worker, place });
  run.presenter.show();
  const accountOpening = quota.takeOpening();
  const expectedHead = run.head;
  const summary = `${stage} · ${worker.agent}`;
  const host = turnHost(run.open.hostId, run.policy, worker);
  const result = await run.journal.carryBy((journal) => {
    const input = { ...inputOf(run, turn, { place, journal }), accountOpening };
    return host.runTurn.executeWithOptions({ summary }, [input]);
  });
  run.facts.headSha = result.head;
  run.journal.observe(result.observations);
  if (result.started) run.used = withTurn(run.used, result);
  if (quota.isTaken) await quota.ended(saidBy(result), result.started);
  if (result.rolledBack) run.facts.readOnlyViolations += 1;
  if (result.outcome.kind === 'policy_violation') run.facts.diffViolations += 1;
  const usage = { durationMs: result.durationMs, ...toldBy(result, worker.adapter) };
  return { place, result, expectedHead, usage };
}

function announce(run: RunState, { turn, worker, place }: { turn: TurnToTry; worker: StageAgent; place: Place }): void {
  const { stage, previousTurn, step } = turn;
  const { agent, adapter, model } = worker;
  run.facts.agent = { name: agent, adapter };
  run.facts.turn = place.seq;
  const who = `${agent}${adapter === 'scripted' ? ' (scripted)' : ''}`;
  const what = previousTurn === null ? `${stage} turn` : `${stage}: no readable decision, asked once more,`;
  run.journal.note('turn.started', `${what} by ${who}`, {
    stage,
    round: run.facts.round,
    seq: place.seq,
    agent,
    adapter,
    // That of a step is looked up by its host when it starts.
    model: step === undefined ? model : null,
  });
}

function inputOf(
  run: RunState,
  turn: TurnToTry,
  { place, journal }: Pick<RunTurnInput, 'place' | 'journal'>,
): Omit<RunTurnInput, 'accountOpening'> {
  const { stage, previousTurn, continues, notes, permissions, fallback, afterOverflow, step } = turn;
  return {
    stage,
    place,
    previousTurn,
    run: run.ref,
    round: run.facts.round,
    ask: previousTurn === null ? 'work' : 'decision',
    decisionCode: uuid4().slice(0, 8),
    expectedHead: run.head,
    context: run.facts.context,
    journal,
    notes,
    agent: fallback,
    continues,
    afterOverflow,
    permissions,
    ...(step === undefined ? {} : { step }),
  };
}

function workerOf(own: StageAgent, { fallback, afterOverflow }: TurnToTry): StageAgent {
  // Same stage and rights, a conversation and a model of its own (V-125).
  if (fallback !== null) return { ...own, agent: fallback, adapter: own.fallbackAdapter ?? own.adapter, model: null };
  return afterOverflow === 'extended' ? { ...own, model: own.extendedModel ?? own.model } : own;
}

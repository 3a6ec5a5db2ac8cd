/** The boundary between two stages: a pause that was asked for, then the entry into the next stage, then its gate (V-61). */
import { condition } from '@temporalio/workflow';
import type { Boundary } from '../../protocol/run/gate.js';
import { statusBetween } from '../../protocol/run/lifecycle.js';
import { changesGoTo, roundStart } from '../../protocol/run/next-stage.js';
import type { Stage } from '../../protocol/run/stages.js';
import { openGate } from '../gates/gate.js';
import { causeOf, type GateCause } from '../gates/gate-book.js';
import { ended, type StageEnd } from './ending.js';
import type { LiveRun } from './live-run.js';
import type { RunState } from './run-state.js';

/** Holds the status that the run has; resume returns to it (V-60, V-61), and so does a full history, at which the run ends. At a gate a pause is refused, so none is pending there. */
export async function honourPause(run: LiveRun): Promise<void> {
  const { journal, people, presenter } = run;
  if (!people.pauseRequested || run.status === 'waiting_for_approval') return;
  const { status } = run;
  people.pauseRequested = false;
  people.pausedAtStatus = status;
  run.move('paused');
  journal.note('run.paused', `paused at ${status}`, { at: status });
  presenter.show();
  run.flush.request();
  try {
    await condition(() => people.pausedAtStatus === null || run.history !== 'free');
  } catch (error) {
    // It filled up at one stroke: the run is blocked by that, which none is that is paused.
    if (run.history === 'ended') run.move(status);
    throw error;
  }
  const isResumed = people.pausedAtStatus === null;
  people.pausedAtStatus = null;
  run.move(status);
  if (isResumed) journal.note('run.resumed', `resumed at ${status}`, { at: status });
  presenter.show();
}

/** Moves into the stage and through its gate, if one is due. Null: the stage is entered; else a person wants changes first, or ends the run. */
export async function enter(run: LiveRun, next: Boundary): Promise<StageEnd | null> {
  moveInto(run, next);
  for (;;) {
    const due = run.gates.take(next, run.policy.gates.stages, heldAtCompletion(run));
    if (due === null) return null;
    const to = changesGoTo(next, run.policy.stages);
    const passage = await openGate(run, { stage: next, ...due, question: false, changesGoTo: to });
    if (passage.kind === 'stopped') return ended(passage);
    if (passage.kind === 'approved') {
      run.goOn();
      return null;
    }
    const rounds = run.gates.reopen(next, due.cause);
    if (rounds > run.policy.gates.maxChangeRounds) {
      const error = `changes were requested ${rounds} times at the gate into ${next}; ${run.policy.gates.maxChangeRounds} are allowed`;
      return ended({ reason: 'approval_rounds_exhausted', error });
    }
    run.people.notes.push({ kind: 'changes', text: passage.text, by: passage.by, at: new Date().toISOString() });
    if (passage.to !== next) return sendTo(run, passage.to);
    run.move(next);
  }
}

function sendTo(run: RunState, stage: Stage): StageEnd {
  if (stage === roundStart(run.policy.stages)) run.facts.personRounds += 1;
  return { kind: 'next', to: stage };
}

function moveInto(run: RunState, next: Boundary): void {
  if (next === 'completion') return;
  const between = run.status === run.facts.stage ? statusBetween(run.facts.stage, next) : null;
  if (between !== null) run.move(between);
  if (next === roundStart(run.policy.stages)) run.facts.round += 1;
  run.enter(next);
}

function heldAtCompletion(run: RunState): GateCause | null {
  const { holdAtCompletion, permissions } = run.policy;
  if (holdAtCompletion) return causeOf('completion', 'the policy holds a finished run for a person');
  if (permissions === 'accept-edits' && run.facts.wroteCode)
    return causeOf('completion', 'permission mode accept-edits: a person looks before merge_ready');
  return null;
}

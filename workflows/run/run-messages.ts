/** The messages of a run: whether it takes one, in which state, and what an accepted one changes. */
import type { CancellationScope } from '@temporalio/workflow';
import { LAST_FREE_JOURNAL_EVENTS, MAX_WAITING_NOTES } from '../../protocol/limits.js';
import {
  type GateMessage,
  RUN_MESSAGES,
  type RunMessage,
  type RunMessageName,
} from '../../protocol/messages/message-rows.js';
import { lineOf, readRunMessage } from '../../protocol/messages/run-message.js';
import type { Gate } from '../../protocol/run/gate.js';
import { isTerminal, type RunStatus } from '../../protocol/run/lifecycle.js';
import { type GateOwner, resolveGate } from '../gates/gate.js';
import { decisionOf, judgeGateMessage } from '../gates/gate-decision.js';
import { accepted, type Judgement, type Messages, refused, unchanged } from '../inbox/inbox.js';
import type { RunState } from './run-state.js';

/** What an abort cancels. */
type Lifecycle = Pick<CancellationScope, 'cancel' | 'consideredCancelled'>;

export function messagesOf(
  run: RunState & Pick<GateOwner, 'presenter' | 'flush'>,
  lifecycle: Lifecycle,
): Messages<RunMessageName, RunMessage> {
  return {
    names: RUN_MESSAGES,
    read: readRunMessage,
    judge: (message) =>
      judgeMessage(message, {
        status: run.status,
        closing: run.isClosing,
        abortRequested: lifecycle.consideredCancelled,
        paused: run.people.pausedAtStatus !== null,
        pauseRequested: run.people.pauseRequested,
        gate: run.gates.open,
        waitingNotes: run.people.notes.length,
        events: run.journal.all.length,
        historyFull: run.history !== 'free',
      }),
    apply: (message) => {
      apply(run, lifecycle, message);
      run.presenter.show();
      run.flush.request();
    },
    status: () => run.status,
  };
}

function apply(run: RunState, lifecycle: Lifecycle, message: RunMessage): void {
  const { people } = run;
  const { by } = message;
  const left = lineOf(message);
  if (left !== null) run.journal.note(left.event, left.line, { by, text: left.text });
  switch (message.name) {
    case 'approve':
    case 'answer':
      decide(run, message);
      break;
    case 'pause':
      people.pauseRequested = true;
      break;
    case 'resume':
      people.pauseRequested = false;
      people.pausedAtStatus = null;
      break;
    case 'abort':
      people.abort = { by, reason: message.reason };
      lifecycle.cancel();
      break;
    case 'steer':
      people.notes.push({ kind: 'steer', text: message.text, by, at: new Date().toISOString() });
      break;
    case 'rename':
      people.title = message.title;
      break;
  }
}

/** The open gate. */
function decide(run: RunState, decision: GateMessage): void {
  const { open } = run.gates;
  if (open !== null) resolveGate(run, open, decisionOf(decision, open));
}

export interface Situation {
  readonly status: RunStatus;
  /** The outcome is decided. */
  readonly closing: boolean;
  readonly abortRequested: boolean;
  readonly pauseRequested: boolean;
  /** Nobody resumed it yet; the status follows a moment later. */
  readonly paused: boolean;
  /** The open gate. */
  readonly gate: Gate | null;
  readonly waitingNotes: number;
  readonly events: number;
  /** No stage is entered any more. */
  readonly historyFull: boolean;
}

/**
 * The one pure function behind every Update and every Signal; it changes nothing. Source: docs/messages.md, V-51, V-64, V-80.
 */
export function judgeMessage(message: RunMessage, situation: Situation): Judgement {
  if (situation.closing || isTerminal(situation.status)) return refused(`the run is closed (${situation.status})`);
  if (situation.abortRequested)
    return message.name === 'abort' ? unchanged('the run is being aborted') : refused('the run is being aborted');
  if (situation.historyFull && message.name !== 'abort')
    return refused("the run's history is full, so the run ends at the next boundary");
  switch (message.name) {
    case 'approve':
    case 'answer':
      return judgeGateMessage(message, situation.gate);
    case 'pause':
      return judgePause(situation);
    case 'resume':
      if (situation.paused) return accepted('the run goes on');
      return situation.pauseRequested
        ? accepted('the pause is cancelled')
        : refused('nothing is paused and no pause is pending');
    case 'abort':
      return accepted('the run is being aborted; worktree, branch and artifacts stay');
    case 'steer':
      if (situation.waitingNotes >= MAX_WAITING_NOTES)
        return refused(`${MAX_WAITING_NOTES} texts wait for the next turn already`);
      return journalHasRoom(situation) ? accepted("it reaches the next turn's prompt") : journalFull(situation);
    case 'rename':
      return journalHasRoom(situation) ? accepted(`the run is called "${message.title}"`) : journalFull(situation);
  }
}

/** Source: V-64. */
function judgePause(situation: Situation): Judgement {
  if (situation.paused) return refused('the run is paused already');
  if (situation.gate !== null) return refused(`the run waits at ${situation.gate.id}; decide that instead`);
  if (situation.pauseRequested) return unchanged('a pause is pending already');
  return journalHasRoom(situation) ? accepted('the run pauses at the next stage boundary') : journalFull(situation);
}

function journalHasRoom({ events }: Situation): boolean {
  return events < LAST_FREE_JOURNAL_EVENTS;
}

function journalFull({ events }: Situation): Judgement {
  return refused(`the journal has ${events} events; the rest is kept for the run's end`);
}

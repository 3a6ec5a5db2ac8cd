/** The messages of a run: whether it takes one, in which state, and what an accepted one changes. */
import type { CancellationScope } from '@temporalio/workflow';
import { LAST_FREE_JOURNAL_EVENTS, MAX_WAITING_NOTES } from '../../protocol/limits.js';
import { RUN_MESSAGES, type RunMessage, type RunMessageName } from '../../protocol/messages/message-rows.js';
import { lineOf, readRunMessage } from '../../protocol/messages/run-message.js';
import { type Gate, optionList, optionNamed } from '../../protocol/run/gate.js';
import { isTerminal, type RunStatus } from '../../protocol/run/lifecycle.js';
import { type GateLine, type GateOwner, resolveGate } from '../gates/gate.js';
import type { Judgement, Messages } from '../inbox/inbox.js';
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
      decide(run, message);
      break;
    case 'answer': {
      const { promptId: gate, text: note } = message;
      decide(run, { ...message, name: 'approve', gate, decision: 'approve', note, commit: null });
      break;
    }
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
function decide(run: RunState, { decision, note, by }: Decision): void {
  const { open } = run.gates;
  if (open === null) return;
  const { status, event, verb } = DECIDED[decision];
  const guidance = decision === 'request_changes' || open.question ? note : null;
  const line = { type: event, message: `${by ?? 'somebody'} ${verb} ${open.id} before ${open.stage}` };
  resolveGate(run, open, { status, resolvedBy: by, decisionNote: note, guidance, line });
}

const DECIDED = {
  approve: { status: 'approved', event: 'approval.approved', verb: 'approved' },
  reject: { status: 'rejected', event: 'approval.rejected', verb: 'rejected' },
  request_changes: { status: 'changes_requested', event: 'approval.changes_requested', verb: 'requested changes at' },
} as const satisfies Record<string, { status: Gate['status']; event: GateLine['type']; verb: string }>;

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
      return judgeDecision(message, situation.gate);
    case 'answer':
      return judgeAnswer(message, situation.gate);
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

type Decision = Extract<RunMessage, { name: 'approve' }>;
type Answer = Extract<RunMessage, { name: 'answer' }>;

function judgeDecision({ gate: named, decision, note, commit }: Decision, gate: Gate | null): Judgement {
  if (gate === null) return refused('no gate is open');
  if (named !== null && named !== gate.id) return refused(`${named} is not open; ${gate.id} is`);
  if (commit !== null && commit !== gate.commit) {
    return refused(
      `the decision is about ${commit.slice(0, 12)}, but the branch stands at ${gate.commit?.slice(0, 12) ?? 'nothing'}`,
    );
  }
  if (decision === 'request_changes' && gate.changesGoTo === null)
    return refused(`changes cannot be requested at the gate into ${gate.stage}`);
  if (decision === 'approve' && gate.question && note === null)
    return refused(`${gate.id} asks a question: answer it, or approve with a note`);
  if (decision === 'approve') {
    const wrong = notOffered(note ?? '', gate);
    if (wrong !== null) return wrong;
  }
  return accepted(`${gate.id} is decided: ${decision.replace('_', ' ')}`);
}

function judgeAnswer({ promptId, text }: Answer, gate: Gate | null): Judgement {
  if (gate === null || !gate.question) return refused('no question is open');
  if (promptId !== null && promptId !== gate.id) return refused(`${promptId} is not open; ${gate.id} is`);
  return notOffered(text, gate) ?? accepted(`${gate.id} is answered`);
}

/** Null: the gate takes any text, or this is one of its options. */
function notOffered(answer: string, { id, options }: Gate): Judgement | null {
  if (options === null || optionNamed(options, answer) !== null) return null;
  return refused(`the answer to ${id} must be one of: ${optionList(options)}`);
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

function accepted(message: string): Judgement {
  return { kind: 'accepted', message };
}

function unchanged(message: string): Judgement {
  return { kind: 'unchanged', message };
}

function refused(why: string): Judgement {
  return { kind: 'refused', why };
}

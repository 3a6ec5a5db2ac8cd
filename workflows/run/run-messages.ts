/** What the messages of a run change in it. Whether it takes them is judged in judge-message.ts. */
import type { CancellationScope } from '@temporalio/workflow';
import { RUN_MESSAGES, type RunMessage, type RunMessageName } from '../../protocol/messages/message-rows.js';
import { lineOf, readRunMessage } from '../../protocol/messages/run-message.js';
import type { Gate } from '../../protocol/run/gate.js';
import { type GateLine, type GateOwner, resolveGate } from '../gates/gate.js';
import type { Messages } from '../inbox/inbox.js';
import { judgeMessage } from './judge-message.js';
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
function decide(run: RunState, { decision, note, by }: Extract<RunMessage, { name: 'approve' }>): void {
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

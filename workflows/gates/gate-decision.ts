/** What people decide at an open gate: whether it can be taken, and what it makes of the gate. Pure. Source: V-45 to V-51. */
import type { GateMessage } from '../../protocol/messages/message-rows.js';
import { type Gate, optionList, optionNamed } from '../../protocol/run/gate.js';
import { accepted, type Judgement, refused } from '../inbox/inbox.js';
import type { GateResolution } from './gate-book.js';

type Decision = Extract<GateMessage, { name: 'approve' }>;
type Answer = Extract<GateMessage, { name: 'answer' }>;

/** `gate`: the open one. */
export function judgeGateMessage(message: GateMessage, gate: Gate | null): Judgement {
  return message.name === 'approve' ? judgeDecision(message, gate) : judgeAnswer(message, gate);
}

/** Of a message that was taken. `event`: the line that it leaves in the journal. */
export function decisionOf(message: GateMessage, gate: Gate): GateDecided {
  const { by } = message;
  const decision = message.name === 'approve' ? message.decision : 'approve';
  const note = message.name === 'approve' ? message.note : message.text;
  const { status, verb } = DECIDED[decision];
  const isAnswer = message.name === 'answer' || (gate.question && decision === 'approve');
  return {
    status,
    resolvedBy: by,
    decisionNote: note,
    guidance: decision === 'request_changes' || message.name === 'answer' || gate.question ? note : null,
    line: {
      type: `approval.${status}`,
      message: `${by ?? 'somebody'} ${isAnswer ? 'answered' : verb} ${gate.id} before ${gate.stage}${isAnswer ? `: ${firstOf(note ?? '')}` : ''}`,
    },
  };
}

/** Unit: characters of an answer in one line of the journal; the event holds all of it. */
const MAX_ANSWER_CHARS = 200;

function firstOf(answer: string): string {
  const line = answer.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_ANSWER_CHARS ? line : `${line.slice(0, MAX_ANSWER_CHARS - 1)}…`;
}

export interface GateDecided extends Omit<GateResolution, 'resolvedAt'> {
  readonly line: GateLine;
}

export interface GateLine {
  readonly type: `approval.${'requested' | 'reminded' | 'escalated' | Exclude<Gate['status'], 'pending'>}`;
  readonly message: string;
}

const DECIDED = {
  approve: { status: 'approved', verb: 'approved' },
  reject: { status: 'rejected', verb: 'rejected' },
  request_changes: { status: 'changes_requested', verb: 'requested changes at' },
} as const satisfies Record<Decision['decision'], { status: Gate['status']; verb: string }>;

function judgeDecision({ gate: named, openedAt, decision, note, commit }: Decision, gate: Gate | null): Judgement {
  if (gate === null) return refused('no gate is open');
  const other = anotherThan(gate, { named, openedAt });
  if (other !== null) return other;
  if (commit !== null && commit !== gate.commit) {
    return refused(
      `the decision is about ${commit.slice(0, 12)}, but the branch stands at ${gate.commit?.slice(0, 12) ?? 'nothing'}`,
    );
  }
  if (decision === 'request_changes' && gate.changesGoTo === null)
    return refused(`changes cannot be requested at the gate into ${gate.stage}`);
  if (decision === 'approve' && gate.question && note === null)
    return refused(`${gate.id} asks a question: answer it, or approve with a note`);
  if (decision === 'approve' && gate.question) {
    const wrong = notOffered(note ?? '', gate);
    if (wrong !== null) return wrong;
  }
  return accepted(`${gate.id} is decided: ${decision.replace('_', ' ')}`);
}

function judgeAnswer({ promptId, openedAt, text }: Answer, gate: Gate | null): Judgement {
  if (gate === null || (!gate.question && gate.options === null)) return refused('no question is open');
  const other = anotherThan(gate, { named: promptId, openedAt });
  return other ?? notOffered(text, gate) ?? accepted(`${gate.id} is answered`);
}

/** Null: the open gate is the one that is meant. A landing that is asked for again counts its gates from one, so a name alone may be that of an earlier one. */
function anotherThan(
  { id, createdAt }: Gate,
  { named, openedAt }: { readonly named: string | null; readonly openedAt: string | null },
): Judgement | null {
  if (named !== null && named !== id) return refused(`${named} is not open; ${id} is`);
  return openedAt === null || openedAt === createdAt
    ? null
    : refused(`the ${id} of ${openedAt} is closed; the one that is open was opened at ${createdAt}`);
}

/** Null: the gate takes any text, or this is one of its options. */
function notOffered(answer: string, { id, options }: Gate): Judgement | null {
  if (options === null || optionNamed(options, answer) !== null) return null;
  return refused(`the answer to ${id} must be one of: ${optionList(options)}`);
}

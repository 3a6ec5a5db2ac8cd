/**
 * Which gate a decision is about, and the message that decides it. The message always names the gate and the commit that was shown, so that
 * a decision which arrives late is refused instead of deciding something that nobody saw.
 */

import type { GateDecision } from '../../../protocol/messages/message-rows.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { type GateSource, gatesOf, openGates } from '../../look/open-gates.js';
import type { MessageToSend } from '../../sluice.js';
import { EXIT } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export interface Decision {
  readonly decision: GateDecision;
  readonly note: string | null;
  readonly by: string;
  /** Null: the one open gate. */
  readonly gate: string | null;
  /** Null: the commit that the gate shows. The beginning of it is enough. */
  readonly commit: string | null;
}

export interface GateOwner {
  readonly runId: string;
  readonly workflowId: string;
  readonly runDir: string | null;
}

/** Errors: RefusedError where no gate, or not this one, can be decided so. */
export async function decisionFor(run: GateOwner, sluice: GateSource, decision: Decision): Promise<MessageToSend> {
  const gates = await gatesOf(run, sluice);
  if (gates === null) return decisionUnseen(run, decision);
  const gate = chosenGate(gates, run.runId, decision.gate);
  const { note, by } = decision;
  if (gate.question && decision.decision === 'approve' && note === null)
    throw new RefusedError(questionParts(gate, run.runId), { exitCode: EXIT.needsPerson });
  if (decision.decision === 'request_changes' && gate.changesGoTo === null) {
    throw new RefusedError(noChangesParts(gate, run.runId), { exitCode: EXIT.needsPerson });
  }
  return {
    name: 'approve',
    argument: {
      decision: decision.decision,
      note,
      by,
      gate: gate.id,
      openedAt: gate.createdAt,
      commit: commitFor(gate, decision.commit),
    },
  };
}

export interface Answer {
  readonly text: string;
  readonly by: string;
  /** Null: the open question. */
  readonly gate: string | null;
}

/** Errors: RefusedError where no question is open. */
export async function answerFor(
  run: GateOwner,
  sluice: GateSource,
  { text, by, gate: asked }: Answer,
): Promise<MessageToSend> {
  const gates = await gatesOf(run, sluice);
  if (gates !== null) {
    const { id, createdAt } = questionIn(gates, run.runId, asked);
    return { name: 'answer', argument: { promptId: id, openedAt: createdAt, text, by } };
  }
  if (asked === null) throw new RefusedError(unseenParts(run.runId, 'answer'));
  return { name: 'answer', argument: { promptId: asked, text, by } };
}

/** The gate of that name, or the only open one. Errors: RefusedError. */
export function chosenGate(gates: readonly Gate[], runId: string, asked: string | null): Gate {
  const open = openGates(gates);
  const [only] = open;
  if (asked === null) {
    if (only === undefined) throw new RefusedError(noneOpenParts(runId), { exitCode: EXIT.needsPerson });
    if (open.length > 1) throw new RefusedError(severalParts(open, runId));
    return only;
  }
  const gate = gates.find(({ id }) => id === asked);
  if (gate === undefined) throw new RefusedError(noSuchGateParts(gates, runId, asked), { exitCode: EXIT.needsPerson });
  if (gate.status !== 'pending') throw new RefusedError(decidedParts(gate, runId), { exitCode: EXIT.needsPerson });
  return gate;
}

function questionIn(gates: readonly Gate[], runId: string, asked: string | null): Gate {
  const gate = chosenGate(gates, runId, asked);
  if (gate.question || gate.options !== null) return gate;
  throw new RefusedError(
    {
      what: `${gate.id} of ${foreign(runId)} asks for a decision, not for an answer`,
      why: 'an answer belongs to a question, or to a gate with several ways on',
      now: 'Nothing was sent; the gate is open.',
      mend: `sluice approve ${foreign(runId)}    or: sluice reject ${foreign(runId)} -m "<why>"`,
    },
    { exitCode: EXIT.needsPerson },
  );
}

/** Shorter is no commit that a person looked at. */
const MIN_COMMIT_CHARS = 7;

function commitFor({ commit }: Gate, asked: string | null): string | null {
  if (asked === null) return commit;
  return commit !== null && asked.length >= MIN_COMMIT_CHARS && commit.startsWith(asked.toLowerCase()) ? commit : asked;
}

/** No worker and no file tell the gate: then it must be named, for "the open one" may be another when the message arrives. */
function decisionUnseen({ runId }: GateOwner, { decision, note, by, gate, commit }: Decision): MessageToSend {
  if (gate === null) throw new RefusedError(unseenParts(runId, decision === 'reject' ? 'reject' : 'approve'));
  return { name: 'approve', argument: { decision, note, by, gate, commit } };
}

function unseenParts(runId: string, command: 'approve' | 'reject' | 'answer') {
  // An answer with one word takes that word, a run's id too, for its text.
  const text = command === 'answer' ? ' "<text>"' : '';
  return {
    what: `the gates of ${foreign(runId)} cannot be looked at: no worker answers, and its files are not on this machine`,
    why: 'a decision is about a gate that somebody saw',
    now: 'Nothing was sent.',
    mend: `sluice up    or name the gate: sluice ${command} ${foreign(runId)} --gate gate-1${text}`,
  };
}

function noneOpenParts(runId: string) {
  return {
    what: `the run ${foreign(runId)} has no open gate`,
    why: 'a decision or an answer is about one open gate',
    now: 'Nothing was sent.',
    mend: `sluice status ${foreign(runId)}`,
  };
}

function severalParts(open: readonly Gate[], runId: string) {
  return {
    what: `${open.length} gates of ${foreign(runId)} are open`,
    why: 'a decision is about one gate',
    now: `Nothing was sent. They are: ${open.map(({ id }) => foreign(id)).join(', ')}`,
    mend: `sluice approvals decide ${foreign(runId)} ${foreign(open[0]?.id ?? 'gate-1')} --approve`,
  };
}

function noSuchGateParts(gates: readonly Gate[], runId: string, asked: string) {
  return {
    what: `the run ${foreign(runId)} has no gate "${foreign(asked).slice(0, 60)}"`,
    why: 'gates are named gate-<n> in the order in which they opened',
    now: `Nothing was sent. It has: ${gates.length === 0 ? 'none' : gates.map(({ id }) => foreign(id)).join(', ')}`,
    mend: `sluice approvals show ${foreign(runId)}`,
  };
}

function decidedParts(gate: Gate, runId: string) {
  const by = gate.resolvedBy === null ? '' : ` by ${foreign(gate.resolvedBy)}`;
  return {
    what: `${foreign(gate.id)} of ${foreign(runId)} is ${gate.status.replace('_', ' ')} already${by}`,
    why: 'a gate is decided once',
    now: 'Nothing was sent.',
    mend: `sluice approvals show ${foreign(runId)} ${foreign(gate.id)}`,
  };
}

function questionParts(gate: Gate, runId: string) {
  return {
    what: `${foreign(gate.id)} of ${foreign(runId)} asks a question; an approval without a note does not answer it`,
    why: 'the turn that asks is run again with the answer',
    now: 'Nothing was sent; the question is open.',
    mend: `sluice answer ${foreign(runId)} "<text>"`,
  };
}

function noChangesParts(gate: Gate, runId: string) {
  return {
    what: `changes cannot be requested at ${foreign(gate.id)} of ${foreign(runId)}`,
    why: 'no earlier stage of this run could make them',
    now: 'Nothing was sent; the gate is open.',
    mend: `sluice reject ${foreign(runId)} -m "<why>"    or tell the next turn: sluice steer ${foreign(runId)} "<text>"`,
  };
}

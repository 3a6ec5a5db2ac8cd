/**
 * Opens a gate and waits at it: for a decision, for hours or for weeks, over the death of every process. Reminder, escalation and expiry are durable
 * timers; a plain gate has none. Nobody attending means expiry after `gates.unattendedExpire`. Source: V-40 to V-53.
 */
import { condition } from '@temporalio/workflow';
import type { Gate } from '../../protocol/run/gate.js';
import type { BlockedReason } from '../../protocol/run/outcomes.js';
import type { Stage } from '../../protocol/run/stages.js';
import type { LineWriter } from '../journal/journal-flush.js';
import type { Notifier } from '../journal/notify.js';
import { type GateBook, gateCommand } from './gate-book.js';
import { NOT_RUNG, nextRing } from './gate-clock.js';
import type { GateDecided, GateLine } from './gate-decision.js';
import { approvalData, type GateTerms, type GateToOpen, newGate } from './new-gate.js';

/** Whose gates they are. */
export interface GateOwner extends LineWriter, GateTerms {
  readonly gates: Pick<GateBook, 'all' | 'add' | 'resolve'>;
  readonly notifier: Pick<Notifier, 'tell'>;
  readonly presenter: { show(): void };
  /** From now on it waits at this gate, until `goOn` or whatever else it turns to. */
  standAt(gate: Gate): void;
  /** Does again what it did before the gate. */
  goOn(): void;
}

/** `text`: the answer to a question. */
type Approved = { readonly kind: 'approved'; readonly text: string | null; readonly by: string | null };

/** The owner goes no further. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly reason: Extract<BlockedReason, 'approval_rejected' | 'approval_expired' | 'budget'>;
  readonly error: string;
}

/** The owner still stands at the gate; whoever opened it moves it on. */
export type Passage =
  | Approved
  | { readonly kind: 'changes'; readonly text: string; readonly by: string | null; readonly to: Stage }
  | Stopped;

/** A gate that offers no changes. */
export async function askPerson(
  owner: GateOwner,
  asked: Pick<GateToOpen, 'stage' | 'cause'> & Partial<Pick<GateToOpen, 'question'>>,
): Promise<Approved | Stopped> {
  const passage = await openGate(owner, { question: false, ...asked, alsoRequiredByPolicy: false, changesGoTo: null });
  if (passage.kind === 'changes') throw new Error('changes were requested at a gate that does not offer them');
  return passage;
}

export async function openGate(owner: GateOwner, opening: GateToOpen): Promise<Passage> {
  const gate = owner.gates.add(newGate(owner, opening, Date.now()));
  owner.standAt(gate);
  noteGate(owner, gate, { type: 'approval.requested', message: `${gate.id} before ${gate.stage}: ${gate.reason}` });
  owner.presenter.show();
  owner.notifier.tell('gate_opened', `${gate.id}: ${gate.reason}`, gateCommand(gate));
  owner.flush.request();
  await waitForDecision(owner, gate);
  return passageOf(findGate(owner, gate.id), opening);
}

/** Decides an open gate: its entry and the journal say so. */
export function resolveGate(
  owner: Pick<GateOwner, 'gates' | 'journal'>,
  gate: Gate,
  { line, ...decision }: GateDecided,
): void {
  const resolution = { ...decision, resolvedAt: new Date().toISOString() };
  owner.gates.resolve(gate.id, resolution);
  noteGate(owner, { ...gate, ...resolution }, line);
}

/** Nobody decided it; `note`: why nobody will. */
export function expireGate(owner: Pick<GateOwner, 'gates' | 'journal'>, gate: Gate, note: string | null): void {
  const message = note === null ? `${gate.id} expired: nobody decided` : `${gate.id}: ${note}`;
  const line = { type: 'approval.expired', message } as const;
  resolveGate(owner, gate, { status: 'expired', resolvedBy: null, decisionNote: note, guidance: null, line });
}

function noteGate({ journal }: Pick<GateOwner, 'journal'>, gate: Gate, { type, message }: GateLine): void {
  journal.note(type, message, approvalData(gate));
}

async function waitForDecision(owner: GateOwner, gate: Gate): Promise<void> {
  const isDecided = () => findGate(owner, gate.id).status !== 'pending';
  let rung = NOT_RUNG;
  for (;;) {
    const next = nextRing(owner.policy.gates, gate, rung);
    if (next === null) return condition(isDecided);
    const wait = next.at - Date.now();
    if (wait > 0 && (await condition(isDecided, wait))) return;
    if (next.kind === 'expire') return expireGate(owner, gate, null);
    rung = next.after(Date.now());
    tellAgain(owner, gate, next.kind);
  }
}

function tellAgain(owner: GateOwner, gate: Gate, kind: 'remind' | 'escalate'): void {
  const escalated = kind === 'escalate';
  const message = `${gate.id} before ${gate.stage} still waits: ${gate.reason}`;
  noteGate(owner, gate, { type: escalated ? 'approval.escalated' : 'approval.reminded', message });
  owner.notifier.tell(escalated ? 'gate_escalated' : 'gate_reminder', message, gateCommand(gate));
  owner.flush.request();
}

function findGate({ gates }: GateOwner, id: string): Gate {
  const gate = gates.all.find((one) => one.id === id);
  if (gate === undefined) throw new Error(`there is no gate ${id}`);
  return gate;
}

function passageOf(gate: Gate, { cause, changesGoTo }: GateToOpen): Passage {
  const { guidance, resolvedBy: by, decisionNote: note } = gate;
  switch (gate.status) {
    case 'approved':
      return { kind: 'approved', text: guidance, by };
    case 'changes_requested':
      if (changesGoTo === null) throw new Error(`changes were requested at ${gate.id}, where nobody makes them`);
      return { kind: 'changes', text: guidance ?? '', by, to: changesGoTo };
    case 'rejected': {
      const error = `${by ?? 'somebody'} rejected ${gate.id} (${cause.reason})${note === null ? '' : `: ${note}`}`;
      return { kind: 'stopped', reason: 'approval_rejected', error };
    }
    case 'expired':
    case 'pending':
      return {
        kind: 'stopped',
        reason: 'approval_expired',
        error: `nobody decided ${gate.id} in time: ${cause.reason}`,
      };
  }
}

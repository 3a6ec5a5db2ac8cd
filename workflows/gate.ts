/**
 * Opens a gate and waits at it: for a decision, for hours or for weeks, over the death of every process. Reminder, escalation and expiry are durable
 * timers; a plain gate has none. Nobody attending means expiry after `gates.unattendedExpire`. Source: V-40 to V-53.
 */
import { condition } from '@temporalio/workflow';
import type { ApprovalData } from '../protocol/event-data.js';
import type { Gate, GateStage } from '../protocol/gate.js';
import type { EventType } from '../protocol/journal.js';
import type { RunStatus } from '../protocol/lifecycle.js';
import { MAX_REMINDERS } from '../protocol/limits.js';
import type { Stage } from '../protocol/run/stages.js';
import type { RunContext } from './context.js';
import { blocked, type Ending } from './ending.js';
import { type GateCause, gateCommand } from './gate-book.js';
import type { RunState } from './run-state.js';

export interface GateToOpen {
  readonly stage: GateStage;
  readonly cause: GateCause;
  readonly alsoRequiredByPolicy: boolean;
  readonly question: boolean;
  readonly changesGoTo: Stage | null;
}

/** The run still stands at the gate's status; whoever opened it moves it on. */
export type Passage =
  /** `text`: the answer to a question. `from`: the status before the gate. */
  | { readonly kind: 'approved'; readonly text: string | null; readonly by: string | null; readonly from: RunStatus }
  | { readonly kind: 'changes'; readonly text: string; readonly by: string | null; readonly to: Stage }
  | { readonly kind: 'ended'; readonly ending: Ending };

export async function openGate(context: RunContext, opening: GateToOpen): Promise<Passage> {
  const { run, presenter, flush, notifier } = context;
  const from = run.status;
  const gate = addGate(run, opening);
  run.people.approvalRequestedFromStatus = from;
  run.move('waiting_for_approval');
  noteGate(run, gate, { type: 'approval.requested', message: `${gate.id} before ${gate.stage}: ${gate.reason}` });
  run.people.waiting = { kind: gate.question ? 'answer' : 'approval', until: gate.expiresAt };
  presenter.show();
  notifier.tell('gate_opened', `${gate.id}: ${gate.reason}`, gateCommand(gate));
  flush.request();
  await decided(context, gate);
  run.people.waiting = null;
  run.people.approvalRequestedFromStatus = null;
  return passageOf(resolved(run, gate.id), opening, from);
}

/** Of every `approval.*` event. */
export function noteGate(run: RunState, gate: Gate, { type, message }: { type: EventType & `approval.${string}`; message: string }): void {
  const { id, stage, source, commit, resolvedBy, decisionNote } = gate;
  const data: ApprovalData = { gate: id, stage, source, commit, by: resolvedBy, note: decisionNote };
  run.note(type, message, data);
}

function addGate(run: RunState, { stage, cause, alsoRequiredByPolicy, question, changesGoTo }: GateToOpen): Gate {
  const { expireMs, unattendedExpireMs } = run.policy.gates;
  const expiresInMs = run.attended ? expireMs : unattendedExpireMs;
  return run.gates.add({
    ...cause,
    runId: run.runId,
    stage,
    status: 'pending',
    alsoRequiredByPolicy,
    commit: run.head,
    round: run.facts.round,
    createdAt: new Date().toISOString(),
    expiresAt: expiresInMs === null ? null : new Date(Date.now() + expiresInMs).toISOString(),
    resolvedAt: null,
    resolvedBy: null,
    decisionNote: null,
    guidance: null,
    question,
    changesGoTo,
  });
}

async function decided(context: RunContext, gate: Gate): Promise<void> {
  const { run } = context;
  const isDecided = () => resolved(run, gate.id).status !== 'pending';
  const clock = new GateClock(run, gate);
  for (;;) {
    const next = clock.next();
    if (next === null) return condition(isDecided);
    const wait = next.at - Date.now();
    if (wait > 0 && (await condition(isDecided, wait))) return;
    if (next.kind === 'expire') {
      expire(run, gate);
      return;
    }
    clock.rang(next.kind);
    tellAgain(context, gate, next.kind);
  }
}

function expire(run: RunState, gate: Gate): void {
  run.gates.resolve(gate.id, {
    status: 'expired',
    resolvedAt: new Date().toISOString(),
    resolvedBy: null,
    decisionNote: null,
    guidance: null,
  });
  noteGate(run, resolved(run, gate.id), { type: 'approval.expired', message: `${gate.id} expired: nobody decided` });
}

function tellAgain({ run, notifier, flush }: RunContext, gate: Gate, kind: 'remind' | 'escalate'): void {
  const escalated = kind === 'escalate';
  const message = `${gate.id} before ${gate.stage} still waits: ${gate.reason}`;
  noteGate(run, gate, { type: escalated ? 'approval.escalated' : 'approval.reminded', message });
  notifier.tell(escalated ? 'gate_escalated' : 'gate_reminder', message, gateCommand(gate));
  flush.request();
}

/** What rings next at one gate. Unit: ms since 1970. */
class GateClock {
  private reminders = 0;
  /** Intervals that are over: what was missed while nobody worked is told once. */
  private intervals = 0;
  private escalated = false;

  constructor(
    private readonly run: RunState,
    private readonly gate: Gate,
  ) {}

  next(): { readonly kind: 'remind' | 'escalate' | 'expire'; readonly at: number } | null {
    const { remindMs, escalateMs } = this.run.policy.gates;
    const { createdAt, expiresAt } = this.gate;
    const opened = Date.parse(createdAt);
    const due = [
      ...(expiresAt === null ? [] : [{ kind: 'expire' as const, at: Date.parse(expiresAt) }]),
      ...(escalateMs === null || this.escalated ? [] : [{ kind: 'escalate' as const, at: opened + escalateMs }]),
      ...(remindMs === null || this.reminders >= MAX_REMINDERS
        ? []
        : [{ kind: 'remind' as const, at: opened + remindMs * (this.intervals + 1) }]),
    ];
    return due.reduce<(typeof due)[number] | null>((first, one) => (first === null || one.at < first.at ? one : first), null);
  }

  rang(kind: 'remind' | 'escalate'): void {
    if (kind === 'escalate') {
      this.escalated = true;
      return;
    }
    const { remindMs } = this.run.policy.gates;
    const over = remindMs === null ? 0 : Math.floor((Date.now() - Date.parse(this.gate.createdAt)) / remindMs);
    this.reminders += 1;
    this.intervals = Math.max(this.intervals + 1, over);
  }
}

function resolved(run: RunState, id: string): Gate {
  const gate = run.gates.all.find((one) => one.id === id);
  if (gate === undefined) throw new Error(`there is no gate ${id}`);
  return gate;
}

function passageOf(gate: Gate, { cause, changesGoTo }: GateToOpen, from: RunStatus): Passage {
  const by = gate.resolvedBy;
  switch (gate.status) {
    case 'approved':
      return { kind: 'approved', text: gate.guidance, by, from };
    case 'changes_requested':
      if (changesGoTo === null) throw new Error(`changes were requested at ${gate.id}, where nobody makes them`);
      return { kind: 'changes', text: gate.guidance ?? '', by, to: changesGoTo };
    case 'rejected':
      return ended(
        'approval_rejected',
        `${by ?? 'somebody'} rejected ${gate.id} (${cause.reason})${gate.decisionNote === null ? '' : `: ${gate.decisionNote}`}`,
      );
    case 'expired':
    case 'pending':
      return ended('approval_expired', `nobody decided ${gate.id} in time: ${cause.reason}`);
  }
}

function ended(reason: 'approval_rejected' | 'approval_expired', error: string): Passage {
  return { kind: 'ended', ending: blocked(reason, error) };
}

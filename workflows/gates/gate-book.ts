/** The gates of one run, and what will open the next one. Plain state: waiting and status changes are in gate.ts. */
import {
  type Boundary,
  type Gate,
  type GateSource,
  type ListedGate,
  optionList,
  type RiskLevel,
} from '../../protocol/run/gate.js';

/** Why a gate opens. */
export interface GateCause {
  readonly source: GateSource;
  readonly reason: string;
  readonly requestedAction: string | null;
  readonly riskLevel: RiskLevel;
  readonly files: readonly string[];
  /** What may be answered; null: any text. */
  readonly options: readonly string[] | null;
}

export type GateResolution = Pick<Gate, 'status' | 'resolvedAt' | 'resolvedBy' | 'decisionNote' | 'guidance'>;

/** A cause without what only some have. */
export function causeOf(source: GateSource, reason: string, part: Partial<GateCause> = {}): GateCause {
  return { source, reason, requestedAction: null, riskLevel: 'medium', files: [], options: null, ...part };
}

/** What a person types; also shown in the Web UI. */
export function gateCommand(gate: Gate): string {
  const answer = gate.options === null ? '"…"' : `<number>    of: ${optionList(gate.options)}`;
  if (gate.question) return `sluice answer ${gate.runId} ${answer}`;
  const more = gate.options === null ? '' : `    or: sluice answer ${gate.runId} ${answer}`;
  return `sluice approve ${gate.runId}    or: sluice reject ${gate.runId}${more}`;
}

/** Oldest first. */
export function addGate(gates: readonly Gate[], gate: Omit<Gate, 'id'>): { gates: readonly Gate[]; added: Gate } {
  const added: Gate = { ...gate, id: `gate-${gates.length + 1}` };
  return { gates: [...gates, added], added };
}

export function resolveIn(gates: readonly Gate[], id: string, resolution: GateResolution): readonly Gate[] {
  return gates.map((gate) => (gate.id === id ? { ...gate, ...resolution } : gate));
}

/** One is open at a time. */
export function openGateOf(gates: readonly Gate[]): Gate | null {
  return gates.find((gate) => gate.status === 'pending') ?? null;
}

export class GateBook {
  private entries: readonly Gate[] = [];
  private asked: GateCause[] = [];
  private readonly reopened = new Map<Boundary, GateCause>();
  private readonly listed = new Set<Boundary>();
  private readonly changeRounds = new Map<Boundary, number>();

  /** Oldest first; another list after every change, so that a host is sent the gates only when they differ. */
  get all(): readonly Gate[] {
    return this.entries;
  }

  get open(): Gate | null {
    return openGateOf(this.entries);
  }

  add(gate: Omit<Gate, 'id'>): Gate {
    const { gates, added } = addGate(this.entries, gate);
    this.entries = gates;
    return added;
  }

  resolve(id: string, resolution: GateResolution): void {
    this.entries = resolveIn(this.entries, id, resolution);
  }

  /** A turn or its diff asks for a person at the next boundary. */
  ask(cause: GateCause): void {
    this.asked.push(cause);
  }

  /** Takes what turns asked for, as one cause; null: nothing. */
  takeAsked(): GateCause | null {
    const { asked } = this;
    this.asked = [];
    return asked[0] === undefined ? null : merged(asked[0], asked);
  }

  /** The gate opens again at the next entry. Answers how often changes were requested there. */
  reopen(stage: Boundary, cause: GateCause): number {
    const rounds = (this.changeRounds.get(stage) ?? 0) + 1;
    this.changeRounds.set(stage, rounds);
    this.reopened.set(stage, cause);
    return rounds;
  }

  /** Takes what is due at the boundary into `stage`: one cause for all (V-48). A listed stage counts at its first entry only (V-44). */
  take(
    stage: Boundary,
    listed: readonly ListedGate[],
    held: GateCause | null,
  ): { cause: GateCause; alsoRequiredByPolicy: boolean } | null {
    const again = this.reopened.get(stage) ?? null;
    this.reopened.delete(stage);
    const policy = this.listed.has(stage) ? null : policyCause(stage, listed, held);
    if (policy !== null) this.listed.add(stage);
    const cause = this.takeAsked() ?? again ?? policy;
    return cause === null ? null : { cause, alsoRequiredByPolicy: policy !== null && cause !== policy };
  }
}

function policyCause(stage: Boundary, listed: readonly ListedGate[], held: GateCause | null): GateCause | null {
  if (stage === 'completion') return held;
  return listed.includes(stage) ? causeOf('policy', `the policy asks for a person before ${stage}`) : null;
}

function merged(first: GateCause, asked: readonly GateCause[]): GateCause {
  if (asked.length < 2) return first;
  return {
    ...first,
    reason: asked.map((cause) => cause.reason).join('; '),
    riskLevel:
      (['high', 'medium', 'low'] as const).find((level) => asked.some((cause) => cause.riskLevel === level)) ??
      'medium',
    files: [...new Set(asked.flatMap((cause) => cause.files))],
  };
}

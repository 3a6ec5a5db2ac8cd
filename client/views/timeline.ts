/**
 * Whose time a run took, from the lines of its journal: of agents, checks, people, usage limits, or the engine's own, which is all the rest. Pure and
 * total: a journal that was cut, torn or reset gives a timeline of what is left of it.
 */
import type { LineFacts } from './timeline-facts.js';

export interface TimelineLine {
  readonly timestamp: string;
  readonly type: string;
  readonly facts?: LineFacts | undefined;
}

/** Whose time it is, in the order in which it is shown. */
export const LANES = ['agent', 'checks', 'people', 'limit', 'engine'] as const;
export type Lane = (typeof LANES)[number];

const LANE_OF = {
  turn: 'agent',
  check: 'checks',
  gate: 'people',
  pause: 'people',
  usage_limit: 'limit',
  retry: 'limit',
  setup: 'engine',
  engine: 'engine',
} as const satisfies Readonly<Record<string, Lane>>;
export type SpanKind = keyof typeof LANE_OF;

/** **Unit** ms since 1970, of all times here. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Span extends Stretch {
  readonly lane: Lane;
  readonly kind: SpanKind;
  /** Of a stage, a command or a gate; as it was written. */
  readonly what: string;
  /** It has not ended. */
  readonly isOpen: boolean;
}

export type GateMarkDecision = 'approved' | 'rejected' | 'changes_requested' | 'expired';

export interface GateMark {
  readonly gate: string;
  /** A stage, or `completion`. */
  readonly before: string;
  readonly requestedAt: number;
  /** Null: open, or open when the run ended. */
  readonly decided: { readonly at: number; readonly decision: GateMarkDecision; readonly by: string | null } | null;
}

/** An ended attempt whose agent was started. Null: not told. */
export interface TurnUse extends Stretch {
  readonly seq: number | null;
  readonly stage: string;
  readonly agent: string;
  readonly outcome: string;
  readonly durationMs: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
}

/** **Shape** `spans` follow each other without a gap from `from` to `to`, so that each moment is somebody's, once. */
export interface Timeline extends Stretch {
  readonly isOpen: boolean;
  readonly spans: readonly Span[];
  readonly gates: readonly GateMark[];
  /** In the order in which they ended. */
  readonly turns: readonly TurnUse[];
  /** **Unit** ms. */
  readonly totals: Readonly<Record<Lane, number>>;
}

/** `now`: until when what is open lasts. Null: no line tells a time. */
export function tellTimeline(lines: readonly TimelineLine[], now: number): Timeline | null {
  const timed = lines.flatMap(({ timestamp, type, facts = {} }) => {
    const at = Date.parse(timestamp);
    return Number.isNaN(at) ? [] : [{ at, type, facts }];
  });
  const [first] = timed;
  if (first === undefined) return null;
  const reading = new Reading(first.at);
  for (const line of timed) reading.take(line);
  const { ended, gates, turns } = reading;
  const times = timed.map(({ at }) => at);
  const from = times.reduce((least, at) => Math.min(least, at));
  const to = ended ?? times.reduce((most, at) => Math.max(most, at), now);
  const run = { from, to, isOpen: ended === null };
  const spans = placeSpans(reading.claimsUntil(to), run);
  const within = (turn: TurnUse): TurnUse => ({ ...turn, from: clamp(turn.from, run), to: clamp(turn.to, run) });
  const marks = [...gates.values()].flat().toSorted((a, b) => a.requestedAt - b.requestedAt);
  return { ...run, spans, gates: marks, turns: turns.map(within), totals: sumLanes(spans) };
}

interface TimedLine {
  readonly at: number;
  readonly type: string;
  readonly facts: LineFacts;
}

/** A stretch that somebody had, as far as the journal says; several may claim one moment. */
interface Claim extends Stretch {
  readonly kind: SpanKind;
  readonly what: string;
  readonly isOpen: boolean;
}

/** What is going on. A run does one thing at a time, so whatever begins ends what was before, also where the line of its end is lost. */
interface Begun {
  readonly kind: SpanKind;
  readonly what: string;
  readonly at: number;
  /** Ends by itself; null: by a line. */
  readonly until: number | null;
}

class Reading {
  ended: number | null = null;
  /** By gate; one that is asked again has several. */
  readonly gates = new Map<string, GateMark[]>();
  readonly turns: TurnUse[] = [];
  private readonly claims: Claim[] = [];
  private begun: Begun | null = null;

  constructor(private before: number) {}

  take(line: TimedLine): void {
    const { at, type, facts } = line;
    const stage = textIn(facts, 'stage');
    switch (type) {
      case 'turn.started':
        this.begin({ kind: 'turn', what: nameTurn(stage, textIn(facts, 'agent')), at });
        break;
      case 'turn.completed':
      case 'turn.failed':
        this.endTurn(line);
        break;
      case 'turn.retried':
        this.retry(line);
        break;
      case 'usage_limit.waiting':
        // One that is told again is still the same.
        if (this.begun?.kind !== 'usage_limit') this.begin({ kind: 'usage_limit', what: textIn(facts, 'agent'), at });
        break;
      case 'usage_limit.cleared':
        this.end('usage_limit', at);
        break;
      case 'validation.started':
        if (facts['commands'] !== 0) this.begin({ kind: 'check', what: '', at });
        break;
      case 'validation.command.completed':
        this.measure('check', line, textIn(facts, 'command'));
        break;
      case 'worktree.setup.completed':
        this.claims.push({ kind: 'setup', what: textIn(facts, 'command'), from: this.before, to: at, isOpen: false });
        break;
      case 'run.paused':
        this.begin({ kind: 'pause', what: '', at });
        break;
      case 'run.resumed':
        this.end('pause', at);
        break;
      default:
        this.takeGate(line);
    }
    this.before = at;
  }

  /** With what is still going on then. */
  claimsUntil(to: number): readonly Claim[] {
    const { begun, claims } = this;
    if (begun === null) return claims;
    const { kind, what, at, until } = begun;
    return [...claims, { kind, what, from: at, to: Math.min(to, until ?? to), isOpen: until === null || until > to }];
  }

  private takeGate({ at, type, facts }: TimedLine): void {
    const gate = textIn(facts, 'gate');
    const marks = this.gates.get(gate) ?? [];
    const last = marks.at(-1);
    const decision = DECISIONS.get(type);
    if (type === 'approval.requested') {
      const before = textIn(facts, 'stage');
      this.begin({ kind: 'gate', what: gate, at });
      marks.push({ gate, before, requestedAt: at, decided: null });
      this.gates.set(gate, marks);
    } else if (decision !== undefined && last?.decided === null) {
      const by = textIn(facts, 'by');
      marks[marks.length - 1] = { ...last, decided: { at, decision, by: by === '' ? null : by } };
      if (this.begun?.what === gate) this.end('gate', at);
    } else if (RUN_ENDS.has(type)) {
      this.settle(at);
      this.ended = at;
    }
  }

  private begin(begun: Omit<Begun, 'until'> & Partial<Begun>): void {
    this.settle(begun.at);
    this.begun = { until: null, ...begun };
    // After a reset an end may be left of what was before.
    this.ended = null;
  }

  private end(kind: SpanKind, at: number): void {
    if (this.begun?.kind === kind) this.settle(at);
  }

  private settle(at: number): void {
    if (this.begun === null) return;
    const { kind, what, at: from, until } = this.begun;
    this.claims.push({ kind, what, from, to: Math.min(at, until ?? at), isOpen: false });
    this.begun = null;
  }

  private retry({ at, facts }: TimedLine): void {
    const waitMs = Math.round(numberIn(facts, 'waitMs') ?? 0);
    const what = `${textIn(facts, 'stage')}, after ${textIn(facts, 'outcome')}`;
    if (waitMs > 0) this.begin({ kind: 'retry', what, at, until: at + waitMs });
  }

  private endTurn(line: TimedLine): void {
    const { at, facts } = line;
    if (facts['started'] === false) {
      if (this.begun?.kind === 'turn') this.begun = null;
      return;
    }
    const [stage, agent] = [textIn(facts, 'stage'), textIn(facts, 'agent')];
    const from = this.measure('turn', line, nameTurn(stage, agent));
    this.turns.push({
      stage,
      agent,
      from,
      to: at,
      outcome: textIn(facts, 'outcome'),
      seq: numberIn(facts, 'seq'),
      durationMs: numberIn(facts, 'durationMs'),
      costMicroUsd: numberIn(facts, 'costMicroUsd'),
      tokensIn: numberIn(facts, 'tokensIn'),
      tokensOut: numberIn(facts, 'tokensOut'),
    });
  }

  /** What was measured counts for as long as it took, and not from when it was asked for. Answers its begin. */
  private measure(kind: SpanKind, { at, facts }: TimedLine, what: string): number {
    const begun = this.begun?.kind === kind ? this.begun : null;
    if (begun !== null) this.begun = null;
    const durationMs = numberIn(facts, 'durationMs');
    const from = Math.min(at, durationMs === null ? (begun?.at ?? at) : at - Math.round(durationMs));
    this.claims.push({ kind, what, from, to: at, isOpen: false });
    return from;
  }
}

const DECISIONS: ReadonlyMap<string, GateMarkDecision> = new Map([
  ['approval.approved', 'approved'],
  ['approval.rejected', 'rejected'],
  ['approval.changes_requested', 'changes_requested'],
  ['approval.expired', 'expired'],
]);

const RUN_ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.aborted']);

/** Who claims a moment first has it: clocks of two hosts may differ by some milliseconds. What nobody claims is the engine's. */
function placeSpans(claims: readonly Claim[], run: Stretch & { readonly isOpen: boolean }): readonly Span[] {
  const spans: Span[] = [];
  let at = run.from;
  for (const claim of claims.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))) {
    const [from, to] = [Math.max(at, claim.from), Math.min(run.to, claim.to)];
    if (to <= from) continue;
    if (from > at) spans.push(engineSpan(at, from, false));
    spans.push({ ...claim, lane: LANE_OF[claim.kind], from, to });
    at = to;
  }
  if (at < run.to) spans.push(engineSpan(at, run.to, run.isOpen));
  return spans;
}

function engineSpan(from: number, to: number, isOpen: boolean): Span {
  return { lane: 'engine', kind: 'engine', what: '', from, to, isOpen };
}

function sumLanes(spans: readonly Span[]): Timeline['totals'] {
  const totals = { agent: 0, checks: 0, people: 0, limit: 0, engine: 0 };
  for (const { lane, from, to } of spans) totals[lane] += to - from;
  return totals;
}

function nameTurn(stage: string, agent: string): string {
  return [stage, agent].filter((part) => part !== '').join(' by ');
}

function clamp(at: number, { from, to }: Stretch): number {
  return Math.min(to, Math.max(from, at));
}

function textIn(facts: LineFacts, name: string): string {
  const value = facts[name];
  return typeof value === 'string' ? value : '';
}

function numberIn(facts: LineFacts, name: string): number | null {
  const value = facts[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/**
 * Gates: points where a run waits for a person. Opened by policy, by a turn that asks, by a budget, by what a diff touches, or before the end;
 * decided by the message `approve` (or `answer`), by expiry or by the run's abort. Source: V-40 to V-53, docs/requirements/vibestrate.md "approvals.json".
 */
import { STAGES, type Stage } from './stages.js';

/** What `gates.stages` may list, in their order; `landing` is where a closed run's head goes to its base. Source: V-42. */
export const LISTED_GATES = [...STAGES, 'landing'] as const;
export type ListedGate = (typeof LISTED_GATES)[number];

/** What a run comes to; `completion` is the boundary before `merge_ready`. */
export type Boundary = Stage | 'completion';

/** Where a gate stands: of a run, or of the landing of its head. */
export type GateStage = Boundary | 'landing';

export const GATE_STATUSES = ['pending', 'approved', 'rejected', 'changes_requested', 'expired'] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];

/**
 * `policy`: the stage is listed, or the repository changed under the run. `agent`: a turn asks. `budget`: the run's budget is used up.
 * `completion`: a hold before the end. `diff`: a person must see what a turn changed.
 */
export const GATE_SOURCES = ['policy', 'agent', 'budget', 'completion', 'diff'] as const;
export type GateSource = (typeof GATE_SOURCES)[number];

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** One entry of approvals.json; times are ISO 8601 in UTC, absent values null. */
export interface Gate {
  /** `gate-<n>`, counted within the run. */
  readonly id: string;
  readonly runId: string;
  readonly stage: GateStage;
  readonly status: GateStatus;
  readonly source: GateSource;
  /** The policy would have opened a gate here too (V-48). */
  readonly alsoRequiredByPolicy: boolean;
  readonly reason: string;
  /** What the person is asked to do or to allow; for a question, the question. */
  readonly requestedAction: string | null;
  readonly riskLevel: RiskLevel;
  readonly files: readonly string[];
  /** The branch's tip that the decision is about. */
  readonly commit: string | null;
  readonly round: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly resolvedAt: string | null;
  readonly resolvedBy: string | null;
  readonly decisionNote: string | null;
  /** The text of request-changes or of an answer, as the next turn gets it. */
  readonly guidance: string | null;
  /** A turn asks for a text: `answer` decides it, and `approve` alone does not. */
  readonly question: boolean;
  /** The names of what may be answered to a question, or of the ways on that a gate has, of which an approval takes the first; null: any text, or one way. */
  readonly options: readonly string[] | null;
  /** Where request-changes would send the run; null: not offered (V-47). */
  readonly changesGoTo: Stage | null;
}

/** What a turn asks a person, found in its answer. Source: V-48. */
export interface HumanRequest {
  /** `approval`: the run may go on once somebody agrees. `question`: the turn is run again with the answer. */
  readonly kind: 'approval' | 'question';
  readonly reason: string;
  readonly risk: RiskLevel;
  readonly action: string | null;
}

/** The option that an answer names, by its number from 1 or by its name; null: none of them. */
export function optionNamed(options: readonly string[], answer: string): number | null {
  const said = answer.trim().toLowerCase();
  const named = options.findIndex((option) => option.trim().toLowerCase() === said);
  if (named >= 0) return named;
  const number = /^\d{1,3}$/.test(said) ? Number(said) - 1 : -1;
  return number >= 0 && number < options.length ? number : null;
}

/** `1 Allow, 2 Reject`. */
export function optionList(options: readonly string[]): string {
  return options.map((option, index) => `${index + 1} ${option}`).join(', ');
}

/** On what terms an item has its task judged and planned before anybody says that it may start, as its host found them when it was taken in. Read by hand. Pure. */
import type { Scope } from '../admission/classifier-answer.js';
import type { AdmissionOrder, AdmissionPolicy, AskName } from '../run/admission-policy.js';
import { ASKS } from '../run/admission-policy.js';
import type { BudgetPolicy, StageAgent, UsageLimitPolicy } from '../run/policy.js';
import { amountIn, type Fields, fieldsOf, nameIn } from '../text/fields.js';
import { isRecord } from '../text/json.js';
import type { PlanOfTask } from './ask.js';

export interface ItemAdmission extends Omit<AdmissionPolicy, 'order'> {
  readonly order: AdmissionOrder;
  /** Of each ask of the order. */
  readonly asks: Readonly<Partial<Record<AskName, StageAgent>>>;
  readonly usageLimit: UsageLimitPolicy;
  readonly budget: BudgetPolicy;
  readonly heartbeatMs: number;
  readonly killGraceMs: number;
  /** Whose day budget its asks use. */
  readonly ledger: string;
  /** With the answers of people it is compared once more. Missing: it is not. Source: S-49. */
  readonly comparesAgain?: true;
}

/** What people see of it. */
export interface AdmissionView {
  readonly scope: Scope | null;
  readonly confidence: number | null;
  /** Why the classifier says so. */
  readonly why: string | null;
  readonly plan: PlanOfTask | null;
  /** From 1; 0: nothing was asked of people yet. */
  readonly round: number;
  /** Of the round, where they wait for an answer. */
  readonly questions: readonly string[];
  /** The task that an agent takes it for. */
  readonly duplicateOf: string | null;
}

/** Null: nothing is asked. `unreadable`: somebody wrote it by hand, and a task is not let through because of that. */
export function readItemAdmission(value: unknown): ItemAdmission | null | 'unreadable' {
  if (value === undefined || value === null) return null;
  const fields = fieldsOf(value);
  const { order, asks, usageLimit, budget } = fields;
  const names = Array.isArray(order) ? order.flat() : [];
  const isOrder = Array.isArray(order) && order.every(Array.isArray) && names.every(isAsk);
  const areThere = isRecord(asks) && names.every((name) => isRecord(asks[String(name)]));
  const amounts = [amountIn(fields, 'heartbeatMs'), amountIn(fields, 'killGraceMs')];
  if (!isOrder || !areThere || names.length === 0 || !isRecord(usageLimit) || !isRecord(budget)) return 'unreadable';
  if (amounts.includes(null) || nameIn(fields, 'ledger') === null || !hasTerms(fields)) return 'unreadable';
  // Written by `admit`; what decides was looked at, and the rest is as its types say or the ask fails.
  return value as ItemAdmission;
}

function hasTerms({ minConfidence, autoExecuteSmall }: Fields): boolean {
  return typeof minConfidence === 'number' && typeof autoExecuteSmall === 'boolean';
}

function isAsk(name: unknown): name is AskName {
  return ASKS.some((known) => known === name);
}

/** Who says something, by the surface that it came through and never by its own text: `agent` through what is made for agents, `person` through what refuses them. */
export const SAID_AS = ['person', 'agent'] as const;

/** `policy`: the config decided. `unverified`: by Temporal's own tools. Source: S-51. */
export const ACTOR_KINDS = [...SAID_AS, 'policy', 'unverified'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Of a line that lets a task start, or keeps it from it. */
export interface Decided {
  readonly as: ActorKind;
  /** Hash of the plan that there was. */
  readonly plan: string | null;
}

/** That it may start. */
export interface ApproveWord {
  readonly kind: 'approve';
  readonly by: string | null;
  readonly note: string | null;
  /** Missing: `unverified`. */
  readonly as?: ActorKind;
  /** Of the plan that is meant; null: whichever there is. Source: S-39. */
  readonly planHash: string | null;
  /** Where there is no plan; null: as it is planned. Source: S-37. */
  readonly choice: PlanChoice | null;
}

/** `again`: it is planned once more. `one_step`: it runs as its text says. */
export const PLAN_CHOICES = ['again', 'one_step'] as const;
export type PlanChoice = (typeof PLAN_CHOICES)[number];

/** To all questions of a round, in their order. Source: S-46, S-47. */
export interface AnswerWord {
  readonly kind: 'answer';
  readonly by: string | null;
  readonly note: string | null;
  readonly round: number;
  readonly answers: readonly string[];
}

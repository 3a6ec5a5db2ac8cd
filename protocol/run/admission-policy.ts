/** What is asked about a task before anybody says that it may start, and what its answers may decide. Source: S-22 to S-43. */
import type { DedupPolicy } from './dedup-policy.js';

/** Questions that an agent is asked about a task, without a run. Its answer is data; what it changes is no part of it. */
export const ASKS = ['dedup', 'classify', 'plan'] as const;
export type AskName = (typeof ASKS)[number];

/** One value for each ask. */
export function forAsks<Value>(make: (ask: AskName) => Value): Readonly<Record<AskName, Value>> {
  // `fromEntries` forgets which keys it was given.
  return Object.fromEntries(ASKS.map((ask) => [ask, make(ask)])) as Record<AskName, Value>;
}

/** One after the other; what stands in one group begins at once. */
export type AdmissionOrder = readonly (readonly AskName[])[];

/** What of an order is asked of agents. `dedup`: its host compares the task while it takes it in; an agent is asked only where `dedup.ask` says so. Source: S-07 to S-09. */
export function asksOf(
  { order }: Pick<AdmissionPolicy, 'order'>,
  { ask: asksDedup }: Pick<DedupPolicy, 'ask'>,
): AdmissionOrder {
  const asks = order.map((group) => group.filter((step) => step !== 'dedup' || asksDedup));
  return asks.filter((group) => group.length > 0);
}

export function isCompared({ order }: Pick<AdmissionPolicy, 'order'>): boolean {
  return order.flat().includes('dedup');
}

export interface AdmissionPolicy {
  readonly order: AdmissionOrder;
  /** From 0 to 1: a small task that the classifier is less sure of waits for a person. Source: S-30. */
  readonly minConfidence: number;
  /** A small task starts without a person. Source: S-41. */
  readonly autoExecuteSmall: boolean;
  /** What an agent says at a gate counts. Source: S-51. */
  readonly allowAgentApproval: boolean;
}

export const DEFAULT_ADMISSION: AdmissionPolicy = {
  order: [],
  minConfidence: 0,
  autoExecuteSmall: false,
  allowAgentApproval: false,
};

/** What the config of a repository says of its backlog. */

/** `fifo`: whoever could start first. `priority`: the higher before that. `fair`: before that the one whose creator has the fewest at work. */
export const ORDERS = ['fifo', 'priority', 'fair'] as const;
export type Order = (typeof ORDERS)[number];

export const BACKLOG_GATES = ['none', 'start'] as const;

/** Of tasks that say that they touch one file. `block`: never at once. `warn`: people are told. */
export const CONFLICTS = ['warn', 'block'] as const;

/** Where the run of a task begins. `tip`: behind what is checked and waits for its base to be free. `base`: at its base as it is. */
export const STARTS_FROM = ['tip', 'base'] as const;

/** Runs of one backlog at once. Source: V-132. */
export const MAX_CONCURRENT = 16;

/** How long a task holds its slot. `run`: until its run has ended. `reviewing`: while an agent makes its change, not while that is judged. `landed`: until its change is ready or on its base. */
export const SLOT_ENDS = ['run', 'reviewing', 'landed'] as const;
export type SlotEnd = (typeof SLOT_ENDS)[number];

export interface BacklogTerms {
  readonly maxConcurrent: number;
  readonly order: Order;
  readonly conflicts: (typeof CONFLICTS)[number];
  readonly from: (typeof STARTS_FROM)[number];
  /** How long a parked task can be taken up again before it is closed. */
  readonly parkedDays: number;
  /** `start`: a person must say that a task may start. */
  readonly gate: (typeof BACKLOG_GATES)[number];
  readonly slotUntil: SlotEnd;
}

export const DEFAULT_BACKLOG: BacklogTerms = {
  maxConcurrent: 1,
  order: 'fifo',
  conflicts: 'warn',
  from: 'tip',
  parkedDays: 30,
  gate: 'none',
  slotUntil: 'run',
};

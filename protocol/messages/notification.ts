/** What people are told without asking. Source: V-134. */
import type { RunStatus } from '../run/lifecycle.js';
import type { BlockedReason, RunOutcome } from '../run/outcomes.js';
import type { Stage } from '../run/stages.js';

export const NOTIFICATION_KINDS = [
  'gate_opened',
  'gate_reminder',
  'gate_escalated',
  'run_closed',
  'landing_closed',
  'validation_failed',
  'agent_failed',
  'budget_reached',
  'usage_limit',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** The JSON that a sink gets. Absent values are null. A sink that gets an `id` twice may drop the second. */
export interface Notification {
  /** `<runId>:<n>:<drawn>`; stays the same over every retry. */
  readonly id: string;
  readonly kind: NotificationKind;
  /** One redacted sentence. */
  readonly message: string;
  readonly runId: string;
  readonly title: string;
  readonly repo: string;
  readonly branch: string | null;
  readonly status: RunStatus;
  readonly stage: Stage | null;
  readonly outcome: RunOutcome | null;
  readonly blockedReason: BlockedReason | null;
  readonly gate: string | null;
  /** What to type: the command that decides the gate, or shows the run. */
  readonly command: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Type of the failure of a sink that could not be told; unlike those of failures.ts a retry may cure it. */
export const DELIVERY_FAILED = 'DeliveryFailed';

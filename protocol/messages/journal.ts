/** The journal of a run: numbered by the workflow, which keeps every event; `events.jsonl` is a projection of it. */
import type { JsonObject } from '../text/json.js';
import { MESSAGE_EVENTS, type MessageEvent } from './message-rows.js';

/** Source: docs/requirements/vibestrate.md "events.jsonl". */
const OTHER_EVENTS = [
  'run.created',
  'run.completed',
  'run.failed',
  'run.aborted',
  'run.paused',
  'run.resumed',
  'run.rewound',
  'state.changed',
  'git.worktree.created',
  'git.committed',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'turn.retried',
  'turn.fallback',
  'step.changed',
  'validation.started',
  'validation.command.completed',
  'review.decision',
  'verification.decision',
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.changes_requested',
  'approval.expired',
  'approval.reminded',
  'approval.escalated',
  'message.refused',
  'notification.sent',
  'notification.failed',
  'worktree.setup.completed',
  'repository.changed',
  'policy.violation',
  'sandbox.chosen',
  'network.refused',
  'budget.limit',
  'usage_limit.waiting',
  'usage_limit.cleared',
  'merge.changed',
] as const;

export type EventType = (typeof OTHER_EVENTS)[number] | MessageEvent;

export const EVENT_TYPES: readonly EventType[] = [...OTHER_EVENTS, ...MESSAGE_EVENTS];

/** A fact that an activity observed; the workflow numbers it. */
export interface Observation {
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly type: EventType;
  readonly message: string;
  readonly data: JsonObject;
}

export interface JournalEvent extends Observation {
  /** Gapless, from 1. */
  readonly seq: number;
}

/** What a landing has others do. */
import type {
  EnsurePullInput,
  LeaveQueueInput,
  LookAtPullInput,
  ReadRemarksInput,
} from '../../protocol/actors/forge.js';
import type { HeadState } from '../../protocol/actors/item.js';
import type {
  ExamineRepairInput,
  FindBaseInput,
  PlanRepairInput,
  WriteLandingInput,
} from '../../protocol/actors/landing.js';
import type { QueueEntry, QueueRef } from '../../protocol/actors/merge-queue.js';
import type { ParkInput } from '../../protocol/actors/quota.js';
import type { NotificationInput, RunInput } from '../../protocol/messages/messages.js';

interface AtForge {
  readonly workflowId: 'forge';
  readonly host: string;
}

/** `workflowId` orders them. */
export type LandingErrand =
  | { readonly kind: 'open'; readonly workflowId: string }
  /** `host` null: nobody knows who worked for it. */
  | { readonly kind: 'findKept'; readonly workflowId: string; readonly runId: string; readonly host: string | null }
  | { readonly kind: 'findBase'; readonly workflowId: string; readonly host: string; readonly input: FindBaseInput }
  | { readonly kind: 'plan'; readonly workflowId: string; readonly host: string; readonly input: PlanRepairInput }
  | (AtForge & { readonly kind: 'ensurePull'; readonly input: EnsurePullInput })
  | (AtForge & { readonly kind: 'lookAtPull'; readonly input: LookAtPullInput })
  | (AtForge & { readonly kind: 'readRemarks'; readonly input: ReadRemarksInput })
  /** The forge's own. */
  | (AtForge & { readonly kind: 'leaveQueue'; readonly input: LeaveQueueInput })
  /** At the gate of the forge's limits. */
  | { readonly kind: 'park'; readonly workflowId: string; readonly input: ParkInput }
  | { readonly kind: 'startRun'; readonly workflowId: string; readonly input: RunInput }
  | { readonly kind: 'abortRun'; readonly workflowId: string; readonly reason: string }
  | { readonly kind: 'examine'; readonly workflowId: string; readonly host: string; readonly input: ExamineRepairInput }
  | { readonly kind: 'enqueue'; readonly workflowId: string; readonly queue: QueueRef; readonly entry: QueueEntry }
  | { readonly kind: 'withdraw'; readonly workflowId: string; readonly id: string }
  /** At the base, by its queue. */
  | { readonly kind: 'look'; readonly workflowId: string }
  | {
      readonly kind: 'write';
      readonly workflowId: 'files';
      readonly host: string;
      readonly input: WriteLandingInput;
    }
  | { readonly kind: 'tell'; readonly workflowId: 'people'; readonly input: NotificationInput }
  /** The item whose run it is. */
  | {
      readonly kind: 'tellItem';
      readonly workflowId: string;
      readonly runId: string;
      readonly state: HeadState;
    };

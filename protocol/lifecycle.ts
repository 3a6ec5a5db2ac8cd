/**
 * The lifecycle of a run: its statuses, its stages and the one table of legal moves.
 * Every status change of every run goes through `createLifecycle` (V-02, V-03); no other file assigns a status.
 */

export const RUN_STATUSES = [
  'created',
  'planning',
  'planned',
  'architecting',
  'architected',
  'executing',
  'validating',
  'reviewing',
  'fixing',
  'verifying',
  'waiting_for_approval',
  'paused',
  'merge_ready',
  'blocked',
  'failed',
  'aborted',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

export const TERMINAL_STATUSES = ['merge_ready', 'blocked', 'failed', 'aborted'] as const satisfies readonly RunStatus[];

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** The stages in their only legal order; `fixing` is entered from reviewing, never passed through. */
export const STAGES = [
  'planning',
  'architecting',
  'executing',
  'validating',
  'reviewing',
  'fixing',
  'verifying',
] as const satisfies readonly RunStatus[];

export type Stage = (typeof STAGES)[number];

/** Stages that are one agent turn; validating is the engine's own. */
export type TurnStage = Exclude<Stage, 'validating'>;

/** Named stage lists. Source: V-06. */
export const STAGE_LISTS = {
  full: STAGES,
  express: ['executing', 'validating', 'reviewing', 'verifying'],
  'plan-only': ['planning'],
} as const satisfies Record<string, readonly Stage[]>;

export type StageListName = keyof typeof STAGE_LISTS;

/** Legal moves. Source: docs/requirements/vibestrate.md "Transition table"; moves missing there are missing on purpose. */
export const TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  created: [
    'planning',
    'architecting',
    'executing',
    'validating',
    'reviewing',
    'fixing',
    'verifying',
    'waiting_for_approval',
    'paused',
    'failed',
    'aborted',
    'blocked',
  ],
  planning: [
    'planned',
    'architecting',
    'executing',
    'validating',
    'reviewing',
    'verifying',
    'waiting_for_approval',
    'paused',
    'merge_ready',
    'failed',
    'aborted',
    'blocked',
  ],
  planned: [
    'architecting',
    'executing',
    'validating',
    'reviewing',
    'verifying',
    'waiting_for_approval',
    'paused',
    'failed',
    'aborted',
    'blocked',
  ],
  architecting: [
    'architected',
    'executing',
    'validating',
    'reviewing',
    'verifying',
    'waiting_for_approval',
    'paused',
    'merge_ready',
    'failed',
    'aborted',
    'blocked',
  ],
  architected: ['executing', 'waiting_for_approval', 'paused', 'failed', 'aborted', 'blocked'],
  executing: ['validating', 'reviewing', 'verifying', 'waiting_for_approval', 'paused', 'merge_ready', 'failed', 'aborted', 'blocked'],
  validating: ['reviewing', 'verifying', 'waiting_for_approval', 'paused', 'merge_ready', 'failed', 'aborted', 'blocked'],
  reviewing: [
    'executing',
    'validating',
    'verifying',
    'fixing',
    'waiting_for_approval',
    'paused',
    'merge_ready',
    'blocked',
    'failed',
    'aborted',
  ],
  fixing: ['validating', 'reviewing', 'verifying', 'waiting_for_approval', 'paused', 'merge_ready', 'blocked', 'failed', 'aborted'],
  verifying: ['merge_ready', 'waiting_for_approval', 'paused', 'blocked', 'failed', 'aborted'],
  waiting_for_approval: [
    'created',
    'planning',
    'planned',
    'architecting',
    'architected',
    'executing',
    'validating',
    'reviewing',
    'fixing',
    'verifying',
    'blocked',
    'failed',
    'aborted',
  ],
  paused: [
    'created',
    'planning',
    'planned',
    'architecting',
    'architected',
    'executing',
    'validating',
    'reviewing',
    'fixing',
    'verifying',
    'aborted',
    'failed',
  ],
  merge_ready: [],
  blocked: [],
  failed: [],
  aborted: [],
};

/** An illegal status change: a programming error, so it fails the workflow task and never the run. */
export class StateTransitionError extends Error {
  override readonly name = 'StateTransitionError';

  constructor(
    readonly from: RunStatus,
    readonly to: RunStatus,
    reason: string,
  ) {
    super(`illegal status change ${from} → ${to}: ${reason}`);
  }
}

export function isRunStatus(value: unknown): value is RunStatus {
  return RUN_STATUSES.some((status) => status === value);
}

export function isTerminal(status: RunStatus): status is TerminalStatus {
  return TERMINAL_STATUSES.some((terminal) => terminal === status);
}

/** Refuses what the table does not allow, and `merge_ready` from a stage that is not the last of the list (V-05). */
export function checkTransition(from: RunStatus, to: RunStatus, stages: readonly Stage[]): void {
  if (!TRANSITIONS[from].includes(to)) {
    throw new StateTransitionError(from, to, isTerminal(from) ? `${from} is terminal` : 'not in the table');
  }
  if (to === 'merge_ready' && from !== 'verifying' && stages.at(-1) !== from) {
    throw new StateTransitionError(from, to, `the stage list does not end at ${from}`);
  }
}

export interface Lifecycle {
  readonly status: RunStatus;
  /** Shape: returns the status that was left. Errors: StateTransitionError, with the status unchanged. */
  move(to: RunStatus): RunStatus;
}

/** The only holder of a run's status. */
export function createLifecycle(stages: readonly Stage[]): Lifecycle {
  let status: RunStatus = 'created';
  return {
    get status() {
      return status;
    },
    move(to) {
      checkTransition(status, to, stages);
      const from = status;
      status = to;
      return from;
    },
  };
}

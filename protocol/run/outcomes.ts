/** What turns and validations answer. These are values: only infrastructure throws. */

export const REVIEW_DECISIONS = ['APPROVED', 'CHANGES_REQUESTED', 'BLOCKED'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

export const VERIFICATION_DECISIONS = ['PASSED', 'FAILED', 'NEEDS_HUMAN'] as const;
export type VerificationDecision = (typeof VERIFICATION_DECISIONS)[number];

/** What the last decision line of an answer said. */
export type DecisionReading =
  | { readonly kind: 'review'; readonly value: ReviewDecision }
  | { readonly kind: 'verification'; readonly value: VerificationDecision }
  | { readonly kind: 'unreadable' };

/** Rules of the diff check. Source: V-128. */
export const DIFF_RULES = ['outside_path', 'secret_file', 'token_shape', 'block'] as const;
export type DiffRule = (typeof DIFF_RULES)[number];

/** What an agent may answer to a request of its own for permission; `kind` is its own word for it. */
export interface PermissionOption {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/** What an agent asked before it does it. */
export interface PermissionRequest {
  /** Tells the same request of a later turn: a hash of what is asked for. */
  readonly key: string;
  readonly options: readonly PermissionOption[];
}

/** What a person chose of a request's options. */
export interface PermissionAnswer {
  readonly key: string;
  readonly option: PermissionOption;
}

/** `why` is one sentence for people, at most 300 characters, already redacted. */
export type TurnOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'no_change' }
  | { readonly kind: 'refused'; readonly why: string }
  /** `permission`: it can be answered with one of the options alone. */
  | { readonly kind: 'needs_input'; readonly why: string; readonly permission?: PermissionRequest }
  | { readonly kind: 'usage_limit'; readonly why: string; readonly until: string | null }
  | { readonly kind: 'rate_limited'; readonly why: string; readonly afterMs: number | null }
  /** `fresh`: at once again, with a new conversation, since the earlier one is gone or too long. */
  | { readonly kind: 'transient'; readonly why: string; readonly fresh?: true }
  | { readonly kind: 'overflow'; readonly why: string }
  | { readonly kind: 'timeout'; readonly why: string }
  | { readonly kind: 'crash_loop'; readonly why: string }
  | { readonly kind: 'hard'; readonly why: string }
  /** The diff check rolled the turn's change back (V-128). */
  | { readonly kind: 'policy_violation'; readonly rule: DiffRule; readonly why: string }
  /** The branch, or the repository's hooks or program-running config keys, changed under the run. */
  | { readonly kind: 'repository_changed'; readonly why: string }
  /** The diff touches guarded paths; the commit exists, a person must look before any later turn. */
  | { readonly kind: 'guarded_paths'; readonly why: string; readonly paths: readonly string[] };

export type TurnOutcomeKind = TurnOutcome['kind'];

/** Why a run ended `blocked`. Source: V-82. */
export const BLOCKED_REASONS = [
  'review_blocked',
  'review_unreadable',
  'review_loops_exhausted',
  'validation_failed',
  'validation_unavailable',
  'verification_failed',
  'verification_needs_human',
  'verification_unreadable',
  'approval_rejected',
  'approval_expired',
  'approval_rounds_exhausted',
  'budget',
  'usage_limit',
  'policy_violation',
  'no_changes',
  'agent_refused',
  'overflow',
  'needs_input',
  'guarded_paths',
  'repository_changed',
  'journal_full',
  'history_full',
] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

export const RUN_OUTCOMES = ['merge_ready', 'no_changes', 'blocked', 'failed', 'aborted'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Source: V-110. `environment`: exit 127 or command not found. */
export type CommandStatus = 'passed' | 'failed' | 'environment';

export interface CommandResult {
  readonly command: string;
  readonly exitCode: number | null;
  readonly status: CommandStatus;
  readonly timedOut: boolean;
  /** Red on the base commit too. */
  readonly failedOnBase: boolean;
  readonly durationMs: number;
  /** Relative to the run directory. */
  readonly stdoutPath: string;
  readonly stderrPath: string;
}

/** The content of validation.json. Source: docs/requirements/vibestrate.md "validation.json". */
export interface ValidationReport {
  readonly round: number;
  readonly commit: string;
  readonly tree: string;
  readonly commands: readonly CommandResult[];
  readonly summary: {
    readonly total: number;
    readonly passed: number;
    readonly failed: number;
    readonly environment: number;
  };
  /** A command changed tracked files: a failure like any other. */
  readonly treeChanged: boolean;
  /** For instance that no command is configured, or why set-up failed. */
  readonly note: string | null;
}

export type ValidationOutcome =
  | { readonly kind: 'passed' }
  /** Some commands could not run; the others passed. The verdict is at most partially_verified. */
  | { readonly kind: 'partial' }
  /** Commands are red, but every red one is red on the base too and `validation.baseFailures` is `ignore`. */
  | { readonly kind: 'base_failures_ignored' }
  | { readonly kind: 'failed'; readonly why: string }
  /** No command could run. */
  | { readonly kind: 'unavailable'; readonly why: string }
  /** No command is configured. */
  | { readonly kind: 'no_commands' };

export const VERDICTS = ['verified', 'partially_verified', 'unverified', 'unsafe', 'blocked'] as const;
/** Source: V-102. */
export type Verdict = (typeof VERDICTS)[number];

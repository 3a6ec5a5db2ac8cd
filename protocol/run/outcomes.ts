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

interface OutcomeRow {
  /** How the run ends where the turn is not taken again: `failed`, or blocked with this reason. Null: not by this alone. */
  readonly ends: string | null;
  /** The journal's word for the attempt. */
  readonly event: 'turn.completed' | 'turn.failed';
  /** After it a run may go on, and the agent was at work, so that its cost must be known. */
  readonly isPaid: boolean;
  /** The branch stands at a commit of the turn's own. */
  readonly commits: boolean;
  /** What is true of it, before the words of the agent that told it; null: no words of an agent mean it. */
  readonly fact: string | null;
}

const COMPLETED = { event: 'turn.completed', isPaid: true, commits: false, fact: null } as const;
const FAILED = { ...COMPLETED, event: 'turn.failed', isPaid: false } as const;

/** What a turn may come to, one row each. What follows at once is in workflows/turns/turn-retry.ts: where nothing is said there, nothing. */
export const TURN_OUTCOMES = {
  done: { ...COMPLETED, ends: null, commits: true },
  no_change: { ...COMPLETED, ends: null },
  refused: { ...COMPLETED, ends: 'agent_refused', isPaid: false, fact: 'the agent refuses the task' },
  needs_input: { ...COMPLETED, ends: 'needs_input' },
  usage_limit: { ...FAILED, ends: 'usage_limit', fact: "the agent's usage limit is reached" },
  rate_limited: { ...FAILED, ends: 'failed', fact: 'the agent is rate limited' },
  transient: { ...FAILED, ends: 'failed' },
  overflow: {
    ...FAILED,
    ends: 'overflow',
    isPaid: true,
    fact: 'the prompt or the conversation is too long for the agent',
  },
  timeout: { ...FAILED, ends: 'failed', isPaid: true },
  crash_loop: { ...FAILED, ends: 'failed' },
  hard: { ...FAILED, ends: 'failed' },
  /** The diff check rolled the turn's change back (V-128). */
  policy_violation: { ...FAILED, ends: 'policy_violation' },
  /** The branch, or the repository's hooks or program-running config keys, changed under the run. */
  repository_changed: { ...COMPLETED, ends: 'repository_changed', commits: true },
  /** The diff touches guarded paths; the commit exists, a person must look before any later turn. */
  guarded_paths: { ...COMPLETED, ends: 'guarded_paths', commits: true },
} as const satisfies Readonly<Record<string, OutcomeRow>>;

type Rows = typeof TURN_OUTCOMES;
export type TurnOutcomeKind = keyof Rows;

/** Beside `why`. */
interface OwnFields {
  /** `permission`: it can be answered with one of the options alone. */
  readonly needs_input: { readonly permission?: PermissionRequest };
  readonly usage_limit: { readonly until: string | null };
  readonly rate_limited: { readonly afterMs: number | null };
  /** `fresh`: at once again, with a new conversation, since the earlier one is gone or too long. */
  readonly transient: { readonly fresh?: true };
  readonly policy_violation: { readonly rule: DiffRule };
  readonly guarded_paths: { readonly paths: readonly string[] };
}

/** `why` is one sentence for people, at most 300 characters, already redacted. */
type OutcomeOf<Kind extends TurnOutcomeKind> = { readonly kind: Kind } & (Kind extends 'done' | 'no_change'
  ? unknown
  : { readonly why: string }) &
  (Kind extends keyof OwnFields ? OwnFields[Kind] : unknown);

export type TurnOutcome = { [Kind in TurnOutcomeKind]: OutcomeOf<Kind> }[TurnOutcomeKind];

/** What the words of an agent can mean. */
export type ToldKind = { [Kind in TurnOutcomeKind]: Rows[Kind]['fact'] extends string ? Kind : never }[TurnOutcomeKind];

const KINDS = Object.keys(TURN_OUTCOMES) as readonly TurnOutcomeKind[]; // The keys of a literal.

export const TOLD_KINDS = KINDS.filter((kind): kind is ToldKind => TURN_OUTCOMES[kind].fact !== null);

/** Beside those with which a turn ends the run. */
const OTHER_REASONS = [
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
  'no_changes',
  'journal_full',
  'history_full',
] as const;

/** Why a run ended `blocked`. Source: V-82. */
export type BlockedReason = (typeof OTHER_REASONS)[number] | Exclude<Rows[TurnOutcomeKind]['ends'], 'failed' | null>;
export const BLOCKED_REASONS: readonly BlockedReason[] = [
  ...OTHER_REASONS,
  ...KINDS.flatMap((kind) => {
    const { ends } = TURN_OUTCOMES[kind];
    return ends === null || ends === 'failed' ? [] : [ends];
  }),
];

export const RUN_OUTCOMES = ['merge_ready', 'no_changes', 'blocked', 'failed', 'aborted'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Source: V-110. `environment`: exit 127 or command not found. */
export const COMMAND_STATUSES = ['passed', 'failed', 'environment'] as const;
export type CommandStatus = (typeof COMMAND_STATUSES)[number];

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

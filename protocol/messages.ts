/** Wire types of the run workflow and its host activities. Every one is a plain JSON object; fields are only ever added. */
import type { ArtifactRef } from './artifact.js';
import type { JournalEvent, Observation } from './journal.js';
import type { TurnStage } from './lifecycle.js';
import type { BlockedReason, DecisionReading, RunOutcome, TurnOutcome, ValidationOutcome, ValidationReport, Verdict } from './outcomes.js';
import type { Place } from './place.js';
import type { RunPolicy } from './policy.js';
import type { RunView } from './run-view.js';

/** Start input of `run`, tolerant on purpose: `temporal workflow start` sends it by hand. */
export interface RunInput {
  readonly task: string;
  /** Absolute path of a repository on a host. */
  readonly repo: string;
  readonly title?: string;
  readonly base?: string;
  /** A host id. */
  readonly host?: string;
  readonly preset?: string;
  /** Run-level policy: names and lower limits in the shape of a config file, nothing that executes. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** SHA-256 of a command stored on the host by `sluice run --agent command -- …`. */
  readonly commandHash?: string;
  /** SHA-256 of a trusted config text to use instead of the one at the base commit. */
  readonly configHash?: string;
}

/** Answer of the run workflow. */
export interface RunResult {
  readonly runId: string;
  readonly outcome: RunOutcome;
  readonly blockedReason: BlockedReason | null;
  readonly error: string | null;
  readonly branch: string | null;
  readonly baseSha: string | null;
  readonly headSha: string | null;
  readonly verdict: Verdict | null;
  /** Absolute path on the host, or null where nothing was opened. */
  readonly report: string | null;
}

/** Names a run on its host. */
export interface RunRef {
  readonly runId: string;
  readonly repoKey: string;
}

/** The events that the host may not have yet, gapless and in order, and the view as of the last of them. */
export interface JournalBatch {
  readonly events: readonly JournalEvent[];
  readonly view: RunView;
}

export interface PickHostInput {
  readonly repo: string;
}

export interface PickHostResult {
  readonly hostId: string;
}

export interface OpenRunInput {
  readonly place: Place;
  readonly run: RunInput;
  readonly workflowId: string;
  /** Names the workflow chain that owns the run directory; a reset keeps it. */
  readonly firstExecutionRunId: string;
  readonly startedAt: string;
}

export interface OpenRunResult {
  readonly hostId: string;
  /** Absolute, real path of the repository's work tree. */
  readonly repo: string;
  readonly repoKey: string;
  readonly project: string;
  readonly worktree: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseSha: string;
  /** Absolute path of the projection folder. */
  readonly runDir: string;
  readonly policy: RunPolicy;
  /** Whether the namespace has our search attributes. */
  readonly searchAttributes: boolean;
  /** Null, or why the set-up failed; then no agent is started. */
  readonly setupError: string | null;
  readonly observations: readonly Observation[];
}

/** What earlier stages left for later prompts. */
export interface TurnContext {
  readonly plan: ArtifactRef | null;
  readonly architecture: ArtifactRef | null;
  readonly validation: ArtifactRef | null;
  readonly review: ArtifactRef | null;
}

export interface RunTurnInput {
  readonly place: Place;
  readonly run: RunRef;
  readonly stage: TurnStage;
  readonly round: number;
  /** `decision`: the answer before was unreadable; only the decision line is asked for (V-33). */
  readonly ask: 'work' | 'decision';
  /** Fresh for each prompt; a decision line counts only with it (V-32). */
  readonly decisionCode: string;
  /** Where the branch must stand when the turn begins. */
  readonly expectedHead: string;
  readonly context: TurnContext;
  /** The place of the turn whose answer was unreadable, for `ask: 'decision'`. */
  readonly previousTurn: Place | null;
  readonly journal: JournalBatch;
}

/** At most 8 KiB. */
export interface RunTurnResult {
  readonly outcome: TurnOutcome;
  /** Where the branch stands now. */
  readonly head: string;
  readonly decision: DecisionReading | null;
  /** The agent's final text. */
  readonly output: ArtifactRef | null;
  /** A read-only turn changed the tree and was rolled back (V-127). */
  readonly rolledBack: boolean;
  readonly agent: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly observations: readonly Observation[];
  /** Last journal seq that the host holds. */
  readonly journalSeq: number;
}

export interface ValidateInput {
  readonly place: Place;
  readonly run: RunRef;
  readonly round: number;
  readonly commit: string;
  readonly baseSha: string;
  readonly journal: JournalBatch;
}

export interface ValidateResult {
  readonly outcome: ValidationOutcome;
  readonly summary: ValidationReport['summary'];
  readonly tree: string;
  readonly report: ArtifactRef;
  readonly observations: readonly Observation[];
  readonly journalSeq: number;
}

export interface CloseRunInput {
  readonly place: Place;
  readonly run: RunRef;
  readonly outcome: RunOutcome;
  readonly verdict: Verdict;
  /** Sentences: what is known and what is not, for assurance.json. */
  readonly verdictReasons: readonly string[];
  readonly journal: JournalBatch;
}

export interface CloseRunResult {
  readonly report: string;
  readonly journalSeq: number;
}

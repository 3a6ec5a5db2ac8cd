/** Wire types of the run workflow and its host activities. Every one is a plain JSON object; absent values are null, but in what a person may write. */
import type { ClarifyRound } from '../admission/clarify-text.js';
import type { ArtifactRef } from '../run/artifact.js';
import type { Finding } from '../run/finding.js';
import type { Gate, HumanRequest } from '../run/gate.js';
import type {
  BlockedReason,
  DecisionReading,
  PermissionAnswer,
  RunOutcome,
  TurnOutcome,
  ValidationOutcome,
  ValidationReport,
  Verdict,
} from '../run/outcomes.js';
import type { Place } from '../run/place.js';
import type { CheckSetName, RunPolicy } from '../run/policy.js';
import type { RunWord } from '../run/run-word.js';
import type { Stage, TurnStage } from '../run/stages.js';
import type { JournalEvent, Observation } from './journal.js';
import type { Notification } from './notification.js';
import type { OpenedStep, StepOfTurn } from './run-steps.js';
import type { MergeState, RunView } from './run-view.js';

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
  /** Whether a person is expected to answer; what a config file or the policy says comes first. Where nothing says it: yes, unless a schedule started it. */
  readonly attended?: boolean;
  /** Start from an earlier run's task, policy, artifacts and tree (V-131). */
  readonly rewind?: RewindInput;
  /** Id of the workflow that the run works for, and that is told by a Signal when it ends. */
  readonly owner?: string;
  /** The item that it works at: its host has the text, and what else the run is started with. The owner is told when it is open, too. */
  readonly item?: RunItem;
}

export interface RewindInput {
  readonly runId: string;
  /** Default: where that run ended. */
  readonly stage?: Stage;
  /** What is to be mended, instead of what that run's last review found. Beside a stage of a round, which that run need not have reached. */
  readonly findings?: readonly Finding[];
  /** Commits of the repository: what the change is against, and where the branch is cut, instead of that run's. Beside a stage. */
  readonly onto?: { readonly base: string; readonly start: string };
}

/** What a run is told of the item that it works at. */
export interface RunItem {
  readonly id: string;
  /** SHA-256 of the record that its host keeps of the task. */
  readonly hash: string;
  /** Runs whose changes wait in the chain of the base: it begins behind all of them. */
  readonly behind?: readonly string[];
  /** It wants to hear when what its agent made is judged, and when that goes on with it. */
  readonly tellsReview?: true;
  /** Hash of the plan that somebody approved, which lies beside the task on its host; or `ONE_STEP`. Nothing is planned again. */
  readonly plan?: string;
  /** What people answered about the task. Source: S-48. */
  readonly rounds?: readonly ClarifyRound[];
}

/** To the owner; all but `closed` to that of an item alone. */
export interface RunChanged {
  readonly runId: string;
  readonly state: RunWord;
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
  /** As in the run view. */
  readonly merge: MergeState;
  /** Null: there is no change, whatever the outcome is. */
  readonly source: RunSource | null;
  /** Its landing was asked for, as its policy says. */
  readonly isLanding: boolean;
  /** A step of its plan failed for good. Absent where none did. */
  readonly failure?: 'step_failed';
  /** What it wrote that changes nothing: the plan of a run that made no change, or what the steps of one that only looks said. Null: there is none. */
  readonly document: ArtifactRef | null;
}

/** The change of a closed run: where it lies and what is known of it. */
export interface RunSource {
  /** A host id. */
  readonly host: string;
  readonly repoKey: string;
  /** `OpenRunResult.frozen`. */
  readonly frozen: string;
  /** The branch that the run began at, as people name it, and the commit that its change is against. */
  readonly base: { readonly branch: string; readonly sha: string };
  readonly head: string;
  /** Null: no checks of the head. */
  readonly evidence: RunEvidence | null;
}

/** What the engine's own checks came to, on one tree. */
export interface RunEvidence {
  readonly tree: string;
  /** `ValidateResult.checks`. */
  readonly checks: string;
  readonly outcome: ValidationOutcome['kind'];
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Names a run on its host. */
export interface RunRef {
  readonly runId: string;
  readonly repoKey: string;
}

/** Of a run that is to go on. */
export interface FrozenRunRef extends RunRef {
  /** `OpenRunResult.frozen`: a host that finds something else goes on with nothing. */
  readonly frozen: string;
}

/** The events that the host may not have yet, gapless and in order, and the view as of the last of them. */
export interface JournalBatch<View = RunView> {
  readonly events: readonly JournalEvent[];
  readonly view: View;
  /** All gates of the run, oldest first, where one changed since the last batch; null: approvals.json stays as it is. */
  readonly gates: readonly Gate[] | null;
}

/** Journal lines between activities: after a message, at a gate, at a pause. Losing one is harmless: the next batch has its events again. */
export interface FlushJournalInput {
  readonly run: RunRef;
  readonly journal: JournalBatch;
}

export interface FlushJournalResult {
  readonly journalSeq: number;
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
  /** Null: the run begins at the beginning. */
  readonly resumed: ResumedRun | null;
  /** Of its task, made before it began. Null: there is none. */
  readonly plan: ArtifactRef | null;
  /** Of that plan, in the order in which they run; absent where the change is made by one turn. */
  readonly steps?: readonly OpenedStep[];
  /** SHA-256 of what the run was opened with on its host: policy, environment, git config. */
  readonly frozen: string;
}

/** What a rewound run takes over from its source. Its branch stands at `commit`. Source: V-131. */
export interface ResumedRun {
  readonly sourceRunId: string;
  readonly fromStage: Stage;
  /** The base commit for planning, architecting and executing; else what the source's branch held when that stage began. */
  readonly commit: string;
  /** The source had changed code by then. */
  readonly wroteCode: boolean;
  /** Artifacts of the source, copied into this run's store. */
  readonly context: TurnContext;
  /** The source's last review decided about this very commit: APPROVED. */
  readonly approved: boolean;
}

/** What earlier stages left for later prompts. */
export interface TurnContext {
  readonly plan: ArtifactRef | null;
  readonly architecture: ArtifactRef | null;
  readonly validation: ArtifactRef | null;
  readonly review: ArtifactRef | null;
  /** JSON: `Finding[]` of the last review, or of red checks. */
  readonly findings: ArtifactRef | null;
  /** JSON: `CommandOutput[]` of the last validation's commands that did not pass. */
  readonly validationOutput: ArtifactRef | null;
}

/** Head and tail of what a validation command printed, for prompts. */
export interface CommandOutput {
  readonly command: string;
  readonly text: string;
}

/** What people wrote for the next turn: a steer, the changes requested at a gate, or the answer to a question. */
export interface PersonNote {
  readonly kind: 'steer' | 'changes' | 'answer';
  readonly text: string;
  readonly by: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** What a turn has after one of the same that was too long for its agent: a shorter context, or the whole one and the agent's larger model. */
export type AfterOverflow = 'shorter' | 'extended';

export interface RunTurnInput {
  readonly place: Place;
  readonly run: FrozenRunRef;
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
  /** Oldest first. */
  readonly notes: readonly PersonNote[];
  /** An agent of the policy instead of the stage's own (V-125). */
  readonly agent: string | null;
  /** The place whose conversation this turn goes on with, where the same agent still has it. Null: a new one. */
  readonly continues: Place | null;
  /** The word by which a quota gate lets the turn go: the host overrules an account that it holds for closed. Null: it does not. */
  readonly accountOpening: string | null;
  /** Null: no attempt at this turn was too long. */
  readonly afterOverflow: AfterOverflow | null;
  /** What people chose where earlier attempts of this turn asked for permission. */
  readonly permissions: readonly PermissionAnswer[];
  /** Absent where the turn does no step of a plan. */
  readonly step?: StepOfTurn;
}

/** At most 8 KiB. */
export interface RunTurnResult {
  readonly outcome: TurnOutcome;
  /** How it ended by itself, where what lies around it made another outcome of it. Null: so. */
  readonly said: TurnOutcome | null;
  /** Where the branch stands now. */
  readonly head: string;
  readonly decision: DecisionReading | null;
  /** The agent's final text. */
  readonly output: ArtifactRef | null;
  /** A read-only turn changed the tree and was rolled back (V-127). */
  readonly rolledBack: boolean;
  /** That change was a commit: the turn judged another tree than the run's (V-34). */
  readonly branchMoved: boolean;
  readonly agent: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly observations: readonly Observation[];
  /** Last journal seq that the host holds. */
  readonly journalSeq: number;
  /** Null: the agent does not say. Unit: integer micro-dollars. */
  readonly costMicroUsd: number | null;
  /** Read and written. Null: the agent does not say. */
  readonly tokens: number | null;
  /** The answer asks for a person (V-48); the turn's own outcome stands beside it. */
  readonly request: HumanRequest | null;
  /** Guarded paths that the change touches, where the outcome says something else. */
  readonly guarded: readonly string[];
  /** JSON: `Finding[]`, of a reviewing turn. */
  readonly findings: ArtifactRef | null;
  /** False: no agent was started, since its account is closed or its worktree is not the run's own; the turn counts in no budget. */
  readonly started: boolean;
}

export interface ValidateInput {
  readonly place: Place;
  readonly run: FrozenRunRef;
  readonly stage: Stage;
  /** Of the run's policy. */
  readonly checks: CheckSetName;
  readonly round: number;
  readonly commit: string;
  readonly baseSha: string;
  readonly journal: JournalBatch;
  /** Absent where the checks are those of a stage. */
  readonly step?: StepOfTurn;
}

export interface ValidateResult {
  readonly outcome: ValidationOutcome;
  readonly summary: ValidationReport['summary'];
  readonly tree: string;
  /** SHA-256 of the commands and the set-up: evidence is about a tree and them. */
  readonly checks: string;
  readonly report: ArtifactRef;
  readonly observations: readonly Observation[];
  readonly journalSeq: number;
  /** JSON: `Finding[]` of red commands, one each (V-26). */
  readonly findings: ArtifactRef | null;
  /** JSON: `CommandOutput[]` of the commands that did not pass. */
  readonly output: ArtifactRef | null;
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
  /** Of a plan that only looks, its answer. Missing: of another run. */
  readonly document?: ArtifactRef;
  readonly journalSeq: number;
  /** What the last of its commands left. */
  readonly observations: readonly Observation[];
}

/** Delivers one notification to one sink of the run's policy. */
export interface DeliverInput {
  readonly run: RunRef;
  /** Index in `RunPolicy.sinks`. */
  readonly sink: number;
  readonly notification: Notification;
}

export interface DeliverResult {
  /** Of the sink, for people: the program's name or the host of the address. */
  readonly target: string;
}

/** Start input of the workflow `notification`. */
export interface NotificationInput {
  readonly hostId: string;
  readonly run: RunRef;
  readonly sinks: readonly ('command' | 'webhook')[];
  readonly notification: Notification;
}

/** One entry a sink. */
export type NotificationResult = readonly {
  readonly sink: string;
  readonly target: string | null;
  /** Null: delivered. */
  readonly error: string | null;
}[];

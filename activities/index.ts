/** Types of the host activities, for `import type` by the workflows. A value import from here would pull Node code into their bundle. */
import type { AskInput, AskResult, CompareAgainInput, WriteQuestionsInput } from '../protocol/actors/ask.js';
import type {
  AdmitInput,
  AdmitResult,
  FindBacklogInput,
  FindBacklogResult,
  HandInInput,
  StartItemsInput,
  TellBacklogInput,
  Verdict,
} from '../protocol/actors/backlog.js';
import type { CleanRunInput, CleanRunResult } from '../protocol/actors/clean.js';
import type {
  EnsurePullInput,
  EnsurePullResult,
  LeaveQueueInput,
  LeaveQueueResult,
  LookAtPullInput,
  LookAtPullResult,
  ReadRemarksInput,
  ReadRemarksResult,
} from '../protocol/actors/forge.js';
import type { ItemFound, OpenItems } from '../protocol/actors/item.js';
import type {
  BeginLandingInput,
  ExamineRepairInput,
  ExamineRepairResult,
  FindBaseInput,
  FindBaseResult,
  FindKeptResult,
  PlanRepairInput,
  PlanRepairResult,
  RunToLand,
  WriteLandingInput,
} from '../protocol/actors/landing.js';
import type {
  CheckTreeInput,
  CheckTreeResult,
  EnqueueInput,
  LandEntryInput,
  LandEntryResult,
  LookAtBaseInput,
  LookAtBaseResult,
  WatchBaseInput,
  WatchBaseResult,
} from '../protocol/actors/merge-queue.js';
import type { ParkInput } from '../protocol/actors/quota.js';
import type { TaskDedup } from '../protocol/actors/task-dedup.js';
import type {
  CloseRunInput,
  CloseRunResult,
  DeliverInput,
  DeliverResult,
  FlushJournalInput,
  FlushJournalResult,
  OpenRunInput,
  OpenRunResult,
  PickHostInput,
  PickHostResult,
  RunTurnInput,
  RunTurnResult,
  ValidateInput,
  ValidateResult,
} from '../protocol/messages/messages.js';

/** Served by any host on `sluice-host`. */
export interface AnyHostActivities {
  /** Checks that this host serves the repository and answers its id. Effects: none. Errors: RepositoryNotServed. */
  pickHost(input: PickHostInput): Promise<PickHostResult>;
  /** As of `HostActivities`. */
  findBacklog(input: FindBacklogInput): Promise<FindBacklogResult>;
  /** As of `HostActivities`, where nobody knows whose run it was. */
  findKept(runId: string): Promise<FindKeptResult>;
}

/** Light work on the host's own queue. All are idempotent by their place. */
export interface HostActivities {
  openRun(input: OpenRunInput): Promise<OpenRunResult>;
  closeRun(input: CloseRunInput): Promise<CloseRunResult>;
  /** Writes journal lines and approvals.json between two other activities. Harmless when repeated or late. */
  flushJournal(input: FlushJournalInput): Promise<FlushJournalResult>;
  /** Effects: removes what lies below the sluice home and the run's refs; never the person's files. Harmless when repeated. */
  cleanRun(input: CleanRunInput): Promise<CleanRunResult>;
  /** Finds the branch that somebody names as a base. Effects: none. Errors: as of `landEntry`. */
  findBase(input: FindBaseInput): Promise<FindBaseResult>;
  /** What is kept here of a run that ended without an answer. Effects: none. */
  findKept(runId: string): Promise<FindKeptResult>;
  /** Finds where a run may begin that repairs a head. Effects: objects that no ref names. Errors: as of `landEntry`. */
  planRepair(input: PlanRepairInput): Promise<PlanRepairResult>;
  /** Looks whether what a run made of a conflict may land unseen. Effects: none. Errors: as of `landEntry`. */
  examineRepair(input: ExamineRepairInput): Promise<ExamineRepairResult>;
  /** Writes journal, gates and view of a landing beside the files of its run. Harmless when repeated or late. */
  writeLanding(input: WriteLandingInput): Promise<FlushJournalResult>;
  /** Merges a head onto its base or onto the chain before it, and moves the base where that is checked and the base is free. */
  landEntry(input: LandEntryInput): Promise<LandEntryResult>;
  /** Moves the base to the end of the chain where it is free. */
  lookAtBase(input: LookAtBaseInput): Promise<LookAtBaseResult>;
  /** Ends once the base stands elsewhere or is free. Effects: none. Harmless when repeated, late or cancelled. */
  watchBase(input: WatchBaseInput): Promise<WatchBaseResult>;
  /** Whose backlog the tasks of a repository belong to. Effects: none. */
  findBacklog(input: FindBacklogInput): Promise<FindBacklogResult>;
  /** Writes, or takes back, the file in which people answer what is asked about a task. Harmless when repeated. */
  writeQuestions(input: WriteQuestionsInput): Promise<void>;
  /** Compares a task that was taken in with the others, once people have answered what was asked about it. Harmless when repeated. */
  compareAgain(input: CompareAgainInput): Promise<TaskDedup>;
  /** Takes tasks in, and gives them their numbers. Harmless when repeated: each has a key. */
  admit(input: AdmitInput): Promise<AdmitResult>;
  /** Errors: DeliveryFailed, retried by the workflow; nonRetryable where the sink can never take it. */
  deliver(input: DeliverInput): Promise<DeliverResult>;
}

/** Served by the control worker on `sluice`: what a workflow cannot do by itself. They touch no host. */
export interface ControlActivities {
  /** Tells the quota gate of an account that a run waits, and starts the gate where there is none. Harmless when repeated: a wait has an id. */
  parkAtQuotaGate(input: ParkInput): Promise<void>;
  /** Sends an entry to its merge queue, and starts the queue where there is none. Harmless when repeated: an entry has an id. */
  enqueue(input: EnqueueInput): Promise<void>;
  /** Asks for the landing of a run that is about to close, where nobody did. Harmless when repeated. */
  beginLanding(input: BeginLandingInput): Promise<void>;
  /** What the server knows of a run's end. Effects: none. */
  readRunToLand(workflowId: string): Promise<RunToLand>;
  /** Sends a task to a backlog, and starts the backlog where there is none. Null: it is kept until its host is back. Harmless when repeated: it has a key. */
  handIn(input: HandInInput): Promise<Verdict | null>;
  /** What the server knows of an item. Effects: none. */
  findItem(workflowId: string): Promise<ItemFound>;
  /** Which items of a project are open. Effects: none. */
  findOpenItems(project: string): Promise<OpenItems>;
  /** Starts the workflows of items, those that are not there already. Harmless when repeated. */
  startItems(input: StartItemsInput): Promise<void>;
  /** Tells a backlog how an item stands, and starts the backlog where there is none. Harmless when repeated: a row has a version. */
  tellBacklog(input: TellBacklogInput): Promise<void>;
}

/** Agents and commands, on the host's turns queue. All are idempotent by their place. */
export interface HostTurnActivities {
  runTurn(input: RunTurnInput): Promise<RunTurnResult>;
  validate(input: ValidateInput): Promise<ValidateResult>;
}

/** What is asked about tasks, on a queue of its own: it never waits behind agents that work. Idempotent by their place. */
export interface HostAsksActivities {
  /** Effects: files below the folder of the item; nothing of the repository. */
  runAsk(input: AskInput): Promise<AskResult>;
}

/** Checks of what is about to land, on a queue of their own: they never wait behind agents. Idempotent by their place. */
export interface HostChecksActivities {
  checkTree(input: CheckTreeInput): Promise<CheckTreeResult>;
}

/** What is asked of the forge, on the queue of the host that has the objects; its worker alone reads the forge's token. What the forge says is an answer, whatever it is. */
export interface HostForgeActivities {
  /** One look at a pull request. Effects: none. */
  lookAtPull(input: LookAtPullInput): Promise<LookAtPullResult>;
  /** What reviews and required checks say against a head. Effects: none. */
  readRemarks(input: ReadRemarksInput): Promise<ReadRemarksResult>;
  /** Takes a pull request out of the forge's own queue. Harmless when repeated. */
  leaveQueue(input: LeaveQueueInput): Promise<LeaveQueueResult>;
  /** Pushes a head to its branch and makes true that one pull request shows it. Harmless when repeated. */
  ensurePull(input: EnsurePullInput): Promise<EnsurePullResult>;
  /** As of `HostActivities`, on the base as the forge has it now. */
  planRepair(input: PlanRepairInput): Promise<PlanRepairResult>;
  /** As of `HostActivities`, onto a base of the forge. */
  landEntry(input: LandEntryInput): Promise<LandEntryResult>;
  /** As of `HostActivities`. */
  lookAtBase(input: LookAtBaseInput): Promise<LookAtBaseResult>;
}

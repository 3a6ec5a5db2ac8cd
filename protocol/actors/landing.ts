/**
 * What a landing is told, what it tells, and how it looks. It owns the fate of the head of one closed run; the order in which heads land, and the base itself, belong to the merge
 * queue. Anybody can send to it, so every argument is read by hand. Pure.
 */
import { type GateMessage, isGateMessage } from '../messages/message-rows.js';
import type { JournalBatch, RewindInput, RunRef, RunResult, RunSource } from '../messages/messages.js';
import { type MessageReading, readRunMessage } from '../messages/run-message.js';
import type { MergeState } from '../messages/run-view.js';
import { RUN_CHANGED_SIGNAL } from '../names.js';
import type { Finding } from '../run/finding.js';
import type { Gate } from '../run/gate.js';
import type { LandingPolicy } from '../run/landing-policy.js';
import type { GatesPolicy, RunPolicy } from '../run/policy.js';
import type { RunWait } from '../run/run-word.js';
import { fieldsOf, nameIn, textIn, wordIn } from '../text/fields.js';
import type { PullDecision } from './decide-pull.js';
import {
  ENTRY_SIGNAL,
  ENTRY_STATES,
  type EntryChange,
  type EntryState,
  EXHAUSTED,
  type QueueRef,
} from './merge-queue.js';
import { QUOTA_SIGNAL, type QuotaWord, readQuotaWord } from './quota.js';

/** Messages of people, each as an Update and as a Signal. */
export const LANDING_UPDATES = ['land', 'abort', 'pause', 'resume', 'look', 'approve', 'answer'] as const;
export const LANDING_SIGNALS = [...LANDING_UPDATES, ENTRY_SIGNAL, RUN_CHANGED_SIGNAL, QUOTA_SIGNAL] as const;

/** To start one is to ask for it, also by hand. */
export interface LandingInput {
  /** Of the run; null: it is its id. A schedule appends a time, with colons. */
  readonly workflowId: string | null;
  /** Null: the branch that the run began at. */
  readonly onto: string | null;
  /** Nobody asked: the run's policy says that its head lands by itself. */
  readonly isUnasked: boolean;
  /** Whether a person is expected to answer, where nobody asked. */
  readonly attended: boolean;
  /** The workflow that the run works for, as the run itself says; null: nobody said. */
  readonly owner: string | null;
}

/** Of whatever somebody starts it with by hand. */
export function readLandingInput(input: unknown): LandingInput {
  const fields = fieldsOf(input);
  return {
    workflowId: nameIn(fields, 'workflowId'),
    onto: nameIn(fields, 'onto'),
    isUnasked: fields['isUnasked'] === true,
    attended: fields['attended'] !== false,
    owner: nameIn(fields, 'owner'),
  };
}

/** What becomes of a pull request that only a person can mend. */
export const PULL_GATES = [
  'pull_closed',
  'pull_retargeted',
  'pushed_by_other',
  'changes_requested',
  'checks_failed',
  'checks_timed_out',
  'given_back',
  'landed_red',
  'forge',
] as const;

/** Why nothing more is tried until a person says so. */
export const LANDING_GATES = [
  ...EXHAUSTED,
  'no_answer',
  'not_merge_ready',
  'no_base',
  'host_away',
  'withdrawn',
  'needs',
  'listed',
  'repair_failed',
  'unresolved',
  ...PULL_GATES,
] as const;
export type LandingGate = (typeof LANDING_GATES)[number];

export interface PullView {
  readonly number: number;
  readonly url: string;
  /** By the last look; null: it was not looked at yet. */
  readonly at: PullDecision['kind'] | null;
  /** The forge takes no more requests until then, ISO 8601; null: it does. */
  readonly limitedUntil: string | null;
}

/** Answer of Query `status`, and of the workflow. */
export interface LandingView {
  readonly runId: string;
  readonly merge: Exclude<MergeState, 'none'>;
  /** The branch that it lands on; null: it is not known yet. */
  readonly base: string | null;
  readonly host: string | null;
  /** While it is queued. */
  readonly entry: {
    readonly id: string;
    /** Workflow id of the merge queue. */
    readonly queue: string;
    /** Null: the queue has not answered yet. */
    readonly state: EntryState | null;
    /** What it waits for, where it is known: one sentence. */
    readonly why: string | null;
  } | null;
  /** The pull request that shows it; null: there is none. */
  readonly pull: PullView | null;
  /** While another run makes another head of it; `runId` null: it is not begun yet. */
  readonly repair: { readonly runId: string | null; readonly kind: RepairKind; readonly why: string } | null;
  /** On the base, or in the chain before it. */
  readonly commit: string | null;
  /** A person must say what becomes of it; null: it waits for nobody. */
  readonly gate: {
    /** Among `gates`. */
    readonly id: string;
    readonly reason: LandingGate;
    readonly why: string;
    readonly files: readonly string[];
  } | null;
  /** What keeps it from going on, where nobody is asked about that and it is tried again; null: nothing that is known. */
  readonly waits: string | null;
  /** By whom, and why; null: it is not paused. */
  readonly paused: string | null;
  /** Why it was given up. */
  readonly abandoned: string | null;
  /** Oldest first. */
  readonly gates: readonly Gate[];
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  /** The last event of its journal that this view includes. */
  readonly seq: number;
}

/** What a closed run says of the head that is to land; from the server, never from a file. `owner`: the workflow that it works for; null: it was started by itself. */
export type RunToLand =
  /** `branch` null: it has none yet. */
  | {
      readonly kind: 'open';
      readonly owner: string | null;
      readonly branch: string | null;
      readonly wait: RunWait | null;
    }
  /** It ended without an answer, or the server does not know it. `host`: who worked for it; null: nobody knows. */
  | { readonly kind: 'none'; readonly host: string | null }
  | ({ readonly kind: 'answer'; readonly owner: string | null } & Pick<
      RunResult,
      'outcome' | 'verdict' | 'source' | 'blockedReason' | 'error' | 'branch' | 'headSha' | 'isLanding' | 'document'
    >);

/** `outcome` null: it ended without an answer, and `source` is what its host keeps of it. */
export interface RunEnd extends Pick<RunResult, 'verdict' | 'source'> {
  readonly outcome: RunResult['outcome'] | null;
}

/** What a host keeps of a run without an answer. `why` is one sentence. */
export type FindKeptResult =
  | { readonly kind: 'kept'; readonly source: RunSource }
  | { readonly kind: 'none'; readonly why: string };

/** Of a run whose policy says that its head lands by itself. */
export interface BeginLandingInput extends Pick<LandingInput, 'workflowId' | 'attended' | 'owner'> {
  readonly runId: string;
}

export interface FindBaseInput {
  readonly repoKey: string;
  /** Any run of the repository: it says where the repository is. */
  readonly runId: string;
  /** As somebody wrote it. */
  readonly base: string;
  /** What a person says to have mended by hand; null: nobody does. */
  readonly mended: string | null;
}

/** `head`: what was mended, where the run's branch holds it. `refused`: nothing can land there; `why` is one sentence. */
export type FindBaseResult = { readonly terms: LandingTerms } & (
  | { readonly kind: 'branch'; readonly branch: string; readonly head: string | null }
  | { readonly kind: 'refused'; readonly why: string }
);

export interface ForgeTerms {
  /** `owner/name`. */
  readonly repo: string;
  /** Unit: ms. */
  readonly checksTimeoutMs: number;
  readonly reactRounds: number;
}

/** What the run was opened with on its host. */
export interface LandingTerms {
  readonly landing: LandingPolicy;
  readonly gates: GatesPolicy;
  readonly sinks: RunPolicy['sinks'];
  /** A run of these stages can fix what another did. */
  readonly canFix: boolean;
  /** Null: it lands on a branch of the repository. */
  readonly forge: ForgeTerms | null;
  readonly task: string;
  readonly title: string;
  readonly repo: string;
  readonly branch: string;
}

export const REPAIR_KINDS = ['changes', 'turn', 'recreate'] as const;
export type RepairKind = (typeof REPAIR_KINDS)[number];

export interface PlanRepairInput {
  readonly repoKey: string;
  /** Whose head is to be repaired, and that head. */
  readonly runId: string;
  readonly head: string;
  /** Of its base. */
  readonly queue: QueueRef;
  readonly kind: RepairKind;
  /** Its merge conflicted; else something else is wrong with it. */
  readonly isConflict: boolean;
  /** What is to be mended. */
  readonly why: string;
  /** The same in parts, as the run is told it; empty: `why` is all. */
  readonly findings: readonly Finding[];
  /** Who asked for it; null: nobody. */
  readonly by: string | null;
}

/** `unneeded`: it merges by now. `refused`: no run can begin there; `why` is one sentence. */
export type PlanRepairResult =
  | { readonly kind: 'planned'; readonly rewind: RewindInput }
  | { readonly kind: 'unneeded' }
  | { readonly kind: 'refused'; readonly why: string };

export interface ExamineRepairInput {
  readonly repoKey: string;
  /** The run that repaired, and its head. */
  readonly runId: string;
  readonly head: string;
}

/** What a person must look at first; null: nothing. */
export interface ExamineRepairResult {
  readonly left: { readonly why: string; readonly files: readonly string[] } | null;
}

/** Journal, gates and view of a landing, for people; what its run's files say of the merge with them. */
export interface WriteLandingInput {
  readonly run: RunRef;
  /** Whose head lands: the run itself, or one that repaired it. */
  readonly headRunId: string;
  readonly journal: JournalBatch<LandingView>;
}

export type LandingMessage =
  | { readonly kind: 'land'; readonly onto: string | null; readonly by: string | null; readonly isUnasked: boolean }
  | { readonly kind: 'abort'; readonly by: string | null; readonly reason: string | null }
  | { readonly kind: 'pause'; readonly by: string | null; readonly note: string | null }
  | { readonly kind: 'resume' | 'look'; readonly by: string | null }
  | { readonly kind: 'decide'; readonly message: GateMessage }
  | { readonly kind: typeof ENTRY_SIGNAL; readonly change: EntryChange }
  | { readonly kind: typeof RUN_CHANGED_SIGNAL; readonly runId: string }
  | { readonly kind: typeof QUOTA_SIGNAL; readonly word: QuotaWord };

export function readLandingMessage(name: string, argument: unknown): MessageReading<LandingMessage> {
  if (name === 'approve' || name === 'answer') return readDecision(name, argument);
  const message = messageOf(name, argument);
  return message === null ? { kind: 'bad', why: `the argument of ${name} cannot be read` } : { kind: 'ok', message };
}

function readDecision(name: GateMessage['name'], argument: unknown): MessageReading<LandingMessage> {
  const reading = readRunMessage(name, argument);
  if (reading.kind === 'bad') return reading;
  const { message } = reading;
  return isGateMessage(message)
    ? { kind: 'ok', message: { kind: 'decide', message } }
    : { kind: 'bad', why: `the argument of ${name} cannot be read` };
}

function messageOf(name: string, argument: unknown): LandingMessage | null {
  // A list is what the worker makes of a payload that cannot be read.
  if (Array.isArray(argument)) return null;
  if (name === QUOTA_SIGNAL) {
    const word = readQuotaWord(argument);
    return word === null ? null : { kind: QUOTA_SIGNAL, word };
  }
  const fields = fieldsOf(argument);
  const by = textIn(fields, 'by');
  if (name === 'land')
    return { kind: 'land', onto: nameIn(fields, 'onto'), by, isUnasked: fields['isUnasked'] === true };
  if (name === 'abort') return { kind: 'abort', by, reason: textIn(fields, 'reason') };
  if (name === 'pause') return { kind: 'pause', by, note: textIn(fields, 'note') };
  if (name === 'resume' || name === 'look') return { kind: name, by };
  const runId = nameIn(fields, 'runId');
  if (name === RUN_CHANGED_SIGNAL) return runId === null ? null : { kind: RUN_CHANGED_SIGNAL, runId };
  const [id, state, version] = [nameIn(fields, 'id'), wordIn(fields, 'state', ENTRY_STATES), fields['version']];
  if (name !== ENTRY_SIGNAL || id === null || state === null || typeof version !== 'number') return null;
  const files = fields['files'];
  return {
    kind: ENTRY_SIGNAL,
    change: {
      id,
      version,
      state,
      commit: nameIn(fields, 'commit'),
      reason: wordIn(fields, 'reason', EXHAUSTED),
      why: textIn(fields, 'why'),
      files: Array.isArray(files) ? files.filter((one) => typeof one === 'string') : [],
    },
  };
}

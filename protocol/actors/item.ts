/**
 * The life of one task around its runs, `item:<project>/<id>`: what it is called, what it is told, what it tells and how it looks. An item owns its state; its backlog knows of it what it
 * reported. Anybody can send to it, so every argument is read by hand. Pure.
 */
import type { RunResult } from '../messages/messages.js';
import { RUN_CHANGED_SIGNAL } from '../names.js';
import { ASKS } from '../run/admission-policy.js';
import type { SlotEnd } from '../run/backlog-policy.js';
import { slugOf } from '../run/run-id.js';
import type { RunWord } from '../run/run-word.js';
import type { ActorKind, AdmissionView, AnswerWord, ApproveWord, Decided, ItemAdmission } from './item-admission.js';
import { isItemId } from './item-id.js';
import { isProject } from './project.js';
import type { Grant } from './slot-grant.js';
import { DEDUP_DRIVERS, type TaskDedup } from './task-dedup.js';
import type { TaskKind } from './task-links.js';
import type { TaskTerms } from './task-terms.js';

export const ITEM_WORKFLOW = 'item';

/** The order is that of a task's life. */
export const ITEM_STATES = ['admitting', 'clarifying', 'gated', 'queued', 'running', 'parked', 'closed'] as const;
export type ItemStateName = (typeof ITEM_STATES)[number];

/** Every move that there is. A closed one goes on once its task is handed in again. Source: S-02. */
export const ITEM_MOVES: Readonly<Record<ItemStateName, readonly ItemStateName[]>> = {
  admitting: ['clarifying', 'gated', 'queued', 'parked', 'closed'],
  clarifying: ['admitting', 'parked', 'closed'],
  gated: ['admitting', 'queued', 'parked', 'closed'],
  queued: ['running', 'parked', 'closed'],
  running: ['parked', 'closed'],
  parked: ['admitting', 'clarifying', 'gated', 'queued', 'closed'],
  closed: ['admitting', 'queued'],
};

/** What is open before it may start. `start`: somebody wants to say so of each task; the others are of its admission. */
const GATE_REASONS = [
  'start',
  'plan',
  'classify_failed',
  'plan_failed',
  'low_confidence',
  'clarification_limit',
  'possible_duplicate',
] as const;

/** Why an item rests where it is. `unmerged`: its change waits to be landed. */
export const PARKED_REASONS = [
  'step_failed',
  'executor_error',
  'blocked',
  'stopped',
  'agent_gone',
  'no_commits',
  'unmerged',
  'dependency_failed',
  'repository_changed',
  'run_gone',
] as const;
export const CLOSED_REASONS = [
  'merged',
  'no_changes',
  'forced',
  'rejected',
  'deleted',
  'aborted',
  'expired',
  'duplicate',
] as const;
export const ITEM_REASONS = [...ASKS, 'questions', ...GATE_REASONS, ...PARKED_REASONS, ...CLOSED_REASONS] as const;
export type ItemReason = (typeof ITEM_REASONS)[number];

export interface ItemRef {
  readonly project: string;
  readonly id: string;
}

export function itemWorkflowId({ project, id }: ItemRef): string {
  return `${ITEM_WORKFLOW}:${project}/${id}`;
}

/** Null: it is the workflow id of no item. */
export function itemOfWorkflow(workflowId: string): ItemRef | null {
  const [, project = '', id = ''] = /^item:([^/]+)\/(.+)$/.exec(workflowId) ?? [];
  return isProject(project) && isItemId(id) ? { project, id } : null;
}

/** Of the n-th run of an item, from 1. An id has no `-` and no `.`, so that no two runs of any two items share one. Source: S-05. */
export function runIdOfItem({ project, id }: ItemRef, n: number): string {
  return n === 1 ? `${project}-${id}` : `${project}-${id}.${n}`;
}

/** Null: the run is none of its own. */
export function numberOfRun(item: ItemRef, runId: string): number | null {
  const n = runId === runIdOfItem(item, 1) ? 1 : Number(runId.slice(runId.lastIndexOf('.') + 1));
  return Number.isInteger(n) && n >= 1 && runIdOfItem(item, n) === runId ? n : null;
}

/** Of an item's first run, which those after it take over. Source: S-05. */
export function branchOfItem(prefix: string, id: string, title: string): string {
  return [`${prefix}task`, id, ...[slugOf(title)].filter((slug) => slug !== '')].join('-');
}

/** Start input of an item: where its text lies, and on what terms it works. */
export interface ItemInput extends ItemRef {
  /** Of whoever created it. */
  readonly key: string;
  /** A host id. */
  readonly host: string;
  readonly repo: string;
  readonly repoKey: string;
  readonly title: string;
  /** SHA-256 of the record that the host keeps of the task. */
  readonly hash: string;
  readonly attended: boolean;
  /** The higher first, where its backlog goes by that. */
  readonly priority: number;
  /** Ids of the tasks that must be done before it. */
  readonly dependsOn: readonly string[];
  /** Paths and globs of what it is going to touch; empty: it does not say. */
  readonly files: readonly string[];
  /** A person must say that it may start. */
  readonly gate: 'start' | null;
  readonly kind: TaskKind;
  /** Until it is closed, where nobody takes it up. */
  readonly parkedDays: number;
  readonly slotUntil: SlotEnd;
  /** What is asked about it before it may start; null: nothing. */
  readonly admission: ItemAdmission | null;
  /** What came of comparing it; missing: it was not compared. */
  readonly dedup?: TaskDedup;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly by: string | null;
  /** It was closed before, and is to go on. Null: it begins. */
  readonly again: RunAgain | null;
}

export interface RunAgain extends Pick<TaskTerms, 'force'> {
  /** Of whoever wants it: the same again is the same word. */
  readonly key: string;
  /** How many it had. */
  readonly runs: number;
  readonly by: string | null;
  readonly note: string | null;
  /** ISO 8601. */
  readonly at: string;
  /** The line with which it was closed; missing: nobody knows it any more. */
  readonly closed?: ItemTransition;
}

/** What an item reports to its backlog: its whole row. Versions rise with each report. */
export interface ItemRow {
  readonly id: string;
  readonly version: number;
  readonly state: ItemStateName;
  readonly reason: ItemReason | null;
  /** It has a slot, and keeps it until it says otherwise. */
  readonly slot: boolean;
  /** Unit: ms since 1970: when it took its place in the order. */
  readonly since: number;
  /** How many it had. */
  readonly runs: number;
  readonly priority: number;
  /** The run whose change is checked as merged, and waits for its base to be free. Null: there is none. */
  readonly ready: string | null;
  /** Of the tasks that it waits for, by its own word: its backlog knows which of them are done. */
  readonly needs: readonly string[];
  readonly files: readonly string[];
  /** Rises whenever somebody says anew what it waits for; 0: as it was handed in. */
  readonly linked: number;
  /** Somebody paused it: it does not start. */
  readonly held: boolean;
  /** Who handed it in. */
  readonly by: string | null;
}

/** One line of an item's journal. Source: S-02. */
export interface ItemTransition {
  /** ISO 8601. */
  readonly at: string;
  readonly from: ItemStateName | null;
  readonly to: ItemStateName;
  readonly reason: ItemReason | null;
  /** What made it: a message of that name, the answer to an ask, or the engine. */
  readonly driver: (typeof ITEM_DRIVERS)[number];
  /** Who sent it; null: the engine, or somebody who did not say. */
  readonly actor: string | null;
  readonly note: string | null;
  /** Of an approval and of a rejection. Source: S-51. */
  readonly decided?: Decided;
}

/** With what it is done: what depends on it may start. Source: V-132. */
export const DONE_REASONS: readonly (ItemReason | null)[] = ['merged', 'no_changes', 'forced'];

/** What the server knows of the workflow of an item. */
export type ItemFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly reason: ItemReason | null };

/** Of one project, in no order. */
export interface OpenItems {
  readonly ids: readonly string[];
}

/** For what an item waits: its turn, somebody's word, or a usage limit. */
export const ITEM_WAITS = ['slot', 'person', 'account'] as const;

/** Answer of Query `status`, and of the workflow. */
export interface ItemView extends ItemRef {
  readonly title: string;
  readonly state: ItemStateName;
  readonly reason: ItemReason | null;
  /** One sentence, of what is not as it was meant. */
  readonly why: string | null;
  /** Of the change that waits to be landed; null: none does. */
  readonly head: HeadState | null;
  /** What it waits for; null: for nobody. */
  readonly waits: (typeof ITEM_WAITS)[number] | null;
  /** Somebody paused it before it ran. */
  readonly isHeld: boolean;
  readonly priority: number;
  /** Ids of the tasks that it waits for, by its own word. */
  readonly dependsOn: readonly string[];
  readonly files: readonly string[];
  readonly repo: string;
  readonly host: string;
  /** How many runs it had. */
  readonly runs: number;
  /** The open run, or the last; null: there was none. */
  readonly run: string | null;
  /** Of the last run that ended. */
  readonly result: ItemResult | null;
  /** What came of the asks about it; null: nothing is asked. */
  readonly admission: AdmissionView | null;
  /** What came of comparing it; missing: it was not compared. */
  readonly dedup?: TaskDedup;
  /** The newest last. */
  readonly journal: readonly ItemTransition[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ItemResult
  extends Pick<
    RunResult,
    | 'runId'
    | 'outcome'
    | 'blockedReason'
    | 'error'
    | 'branch'
    | 'headSha'
    | 'verdict'
    | 'isLanding'
    | 'document'
    | 'failure'
  > {
  /** There is something to land. */
  readonly hasChange: boolean;
}

export function itemResultOf({
  runId,
  outcome,
  blockedReason,
  error,
  branch,
  headSha,
  verdict,
  isLanding,
  document,
  failure,
  source,
}: Omit<ItemResult, 'hasChange'> & Pick<RunResult, 'source'>): ItemResult {
  const hasChange = source !== null;
  const ended = { runId, outcome, blockedReason, error, branch, headSha, verdict, isLanding, document, hasChange };
  return failure === undefined ? ended : { ...ended, failure };
}

/** Messages of people, each as an Update and as a Signal. */
export const ITEM_UPDATES = [
  'approve',
  'reject',
  'answer',
  'run',
  'stop',
  'pause',
  'resume',
  'set',
  'done',
  'remove',
] as const;
export type ItemMessageName = (typeof ITEM_UPDATES)[number];

export const ITEM_DRIVERS = ['create', ...ITEM_UPDATES, ...ASKS, ...DEDUP_DRIVERS, 'engine'] as const;

/** What can be said anew of a task; left out: as it is. */
export interface ItemChanges {
  readonly priority?: number;
  readonly dependsOn?: readonly string[];
  readonly files?: readonly string[];
}

export const SLOT_GRANTED_SIGNAL = 'slotGranted';
export const REPORT_SIGNAL = 'report';
/** Of the landing of one of its runs. */
export const LANDING_CHANGED_SIGNAL = 'landingChanged';

/** How a head stands. `landing`: the engine is at it. `ready`: checked as merged, in the chain of what waits for its base to be free. `waiting`: for a person, or for somebody's forge. */
export const HEAD_STATES = ['landing', 'waiting', 'ready', 'merged'] as const;
export type HeadState = (typeof HEAD_STATES)[number];
/** Of a task that it depends on. */
export const DEPENDENCY_FAILED_SIGNAL = 'dependencyFailed';
export const ITEM_SIGNALS = [
  ...ITEM_UPDATES,
  SLOT_GRANTED_SIGNAL,
  REPORT_SIGNAL,
  RUN_CHANGED_SIGNAL,
  LANDING_CHANGED_SIGNAL,
  DEPENDENCY_FAILED_SIGNAL,
] as const;

export type ItemMessage =
  | ItemWord
  | ApproveWord
  | AnswerWord
  | { readonly kind: 'set'; readonly by: string | null; readonly note: string | null; readonly changes: ItemChanges }
  | ({ readonly kind: typeof SLOT_GRANTED_SIGNAL } & Grant)
  /** Its backlog asks how it stands; `known`: the version that it has. */
  | { readonly kind: typeof REPORT_SIGNAL; readonly known: number }
  | { readonly kind: typeof RUN_CHANGED_SIGNAL; readonly runId: string; readonly state: RunWord }
  /** The head of that run is on its base. */
  | { readonly kind: typeof LANDING_CHANGED_SIGNAL; readonly runId: string; readonly state: HeadState }
  | { readonly kind: typeof DEPENDENCY_FAILED_SIGNAL; readonly id: string; readonly reason: LostBy | null };

/** Why a dependency is never met: with what it was closed, or that it waits for this very task. */
export const LOST_BY = [...ITEM_REASONS, 'circle'] as const;
export type LostBy = (typeof LOST_BY)[number];

export interface ItemWord {
  readonly kind: Exclude<ItemMessageName, 'set' | 'approve' | 'answer'>;
  /** Missing: `unverified`. */
  readonly as?: ActorKind;
  readonly by: string | null;
  readonly note: string | null;
}

export const MAX_NOTE_CHARS = 1_000;

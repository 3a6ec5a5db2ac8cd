/** What an item knows. Pure. */

import type { AskAnswer, PlanOfTask, WriteQuestionsInput } from '../../protocol/actors/ask.js';
import type {
  HeadState,
  ItemInput,
  ItemMessage,
  ItemReason,
  ItemResult,
  ItemRow,
  ItemStateName,
  ItemTransition,
} from '../../protocol/actors/item.js';
import type { RunToLand } from '../../protocol/actors/landing.js';
import type { TaskDedup } from '../../protocol/actors/task-dedup.js';
import type { ClarifyRound } from '../../protocol/admission/clarify-text.js';
import type { AdmissionFacts } from '../../protocol/admission/route-admission.js';
import type { OWNER_WAITS_SIGNAL } from '../../protocol/names.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import type { RunWord } from '../../protocol/run/run-word.js';
import type { Step } from '../actor/actor.js';

/** Unit: ms since 1970, as all times here. JSON-safe: it goes over continue-as-new. */
export interface ItemState {
  readonly input: ItemInput;
  readonly state: ItemStateName;
  readonly reason: ItemReason | null;
  /** One sentence, of what is not as it was meant. */
  readonly why: string | null;
  /** Of the last report. */
  readonly version: number;
  /** Ids of the tasks that it waits for. */
  readonly needs: readonly string[];
  /** Rises whenever somebody says them anew, with the clock, so that a reset does not repeat it; 0: as it was handed in. */
  readonly linked: number;
  /** Of those that it waits for, the one by which it was parked. Null: none. */
  readonly lost: string | null;
  readonly priority: number;
  readonly files: readonly string[];
  /** Somebody paused it before it ran; its run is told so once it is there. */
  readonly isHeld: boolean;
  /** When it took its place in the order. */
  readonly since: number;
  /** How many runs it had. */
  readonly runs: number;
  /** The run that is under way; null: none is. */
  readonly run: OpenRun | null;
  /** Of the last run that ended. */
  readonly result: ItemResult | null;
  /** How the head of one of its runs stands, by the last word of its landing. Null: there was none. */
  readonly head: { readonly runId: string; readonly state: HeadState } | null;
  /** What a person wants of it once its run has ended; null: what the run came to. */
  readonly wanted: Wanted | null;
  /** What came of what is asked about it; null: nothing is. */
  readonly admission: Admission | null;
  /** When it looks for news by itself, and how long it waits after that. Null: nothing is waited for. */
  readonly look: { readonly atMs: number; readonly everyMs: number } | null;
  /** When it is closed, parked as it is. Null: it is not parked. */
  readonly expiresAt: number | null;
  /** The newest last. */
  readonly journal: readonly ItemTransition[];
  readonly updatedAt: number;
}

/** What an item knows of what it asked. Facts of one pass; with the answers of people the next begins. */
export interface Admission {
  /** From 0. */
  readonly pass: number;
  /** Place in the order of what is asked. */
  readonly step: number;
  /** Under way. */
  readonly asking: readonly AskName[];
  /** Of this pass. Missing: it is not compared, or not yet. */
  readonly compared?: Compared;
  readonly classification: AdmissionFacts['classification'] | null;
  readonly plan: PlanFact | null;
  /** What people answered, the oldest first. */
  readonly rounds: readonly ClarifyRound[];
  /** What they are asked now; empty: nothing. */
  readonly questions: readonly string[];
  /** It may start: what is asked once is not asked again. */
  readonly isPassed: boolean;
  /** An ask of it waits for a usage limit. */
  readonly isLimited: boolean;
}

/** What it was compared with. */
export interface Compared {
  /** Ids that an agent is asked about. */
  readonly candidates: readonly string[];
  /** Ids that it may be the same as. */
  readonly possible: readonly string[];
  /** The open task that an agent takes it for, and why. */
  readonly duplicateOf: { readonly of: string; readonly reason: string } | null;
  /** Nothing is left to ask about it. */
  readonly isJudged: boolean;
}

export type PlanFact =
  | { readonly kind: 'ok'; readonly plan: PlanOfTask }
  /** A person wants none: it runs as its text says. */
  | { readonly kind: 'one_step' }
  | Exclude<AdmissionFacts['plan'], { readonly kind: 'ok' }>;

/** Of a task, as the server knows it. */
export type Standing = 'open' | 'merged' | 'closed' | null;

/** How an ask ended. */
export type AskEnd =
  /** `standing`: of the task that it is taken for; null: nobody knows, or none is. */
  | {
      readonly kind: 'answered';
      readonly answer: AskAnswer;
      readonly standing: Standing;
    }
  | { readonly kind: 'failed'; readonly why: string };

export interface OpenRun {
  readonly runId: string;
  /** What it said last; null: nothing yet. It says the first word once its branch and worktree are there. Source: S-56. */
  readonly word: RunWord | null;
}

export interface Wanted {
  readonly to: 'parked' | 'closed';
  readonly reason: Extract<ItemReason, 'stopped' | 'forced'>;
  readonly driver: Extract<ItemTransition['driver'], 'stop' | 'done'>;
  readonly actor: string | null;
  readonly note: string | null;
}

/** What became of a run. `gone`: it ended without an answer. */
export type RunFate =
  | { readonly kind: 'ended'; readonly result: ItemResult }
  | { readonly kind: 'gone'; readonly why: string; readonly reason: 'run_gone' | 'repository_changed' };

export type ItemEvent =
  | ItemMessage
  | { readonly kind: 'begin' }
  /** The run id is another's: of this item before it was reset, or of somebody who started a run of that name. */
  | { readonly kind: 'taken'; readonly runId: string }
  | { readonly kind: 'fate'; readonly runId: string; readonly fate: RunFate }
  /** `word`: what the run had said when the look began. */
  | { readonly kind: 'looked'; readonly runId: string; readonly word: RunWord | null; readonly run: RunToLand }
  /** The landing of a run is not there any more. */
  | { readonly kind: 'landingGone'; readonly runId: string }
  | { readonly kind: 'askEnded'; readonly ask: AskName; readonly pass: number; readonly end: AskEnd }
  | {
      readonly kind: 'comparedAgain';
      readonly pass: number;
      readonly found: Pick<TaskDedup, 'possible' | 'pass'> | { readonly why: string };
    }
  /** While it is asked: for people who look. */
  | { readonly kind: 'unwritten'; readonly why: string }
  | { readonly kind: 'askNoted'; readonly ask: AskName; readonly pass: number; readonly note: string }
  | { readonly kind: 'askLimited'; readonly pass: number; readonly isLimited: boolean };

/** `workflowId` orders them. */
export type ItemErrand =
  | {
      readonly kind: 'startRun';
      readonly workflowId: string;
      readonly runId: string;
      readonly input: ItemInput;
      readonly behind: readonly string[];
      /** What its admission came to; null: it has none. */
      readonly admission: Pick<Admission, 'plan' | 'rounds'> | null;
    }
  /** What is asked about its task: it lasts until that is answered, or is called off. */
  | {
      readonly kind: 'ask';
      readonly workflowId: string;
      readonly lasts: true;
      readonly ask: AskName;
      readonly pass: number;
      readonly rounds: readonly ClarifyRound[];
      /** Of `dedup` alone. */
      readonly candidates: readonly string[];
    }
  | {
      readonly kind: 'compareAgain';
      readonly workflowId: string;
      readonly pass: number;
      readonly rounds: readonly ClarifyRound[];
    }
  | ({ readonly kind: 'writeQuestions'; readonly workflowId: string } & Omit<WriteQuestionsInput, 'item'>)
  | { readonly kind: 'callOff'; readonly workflowId: string; readonly asks: readonly AskName[] }
  /** A run, or the landing of one. */
  | {
      readonly kind: 'tellRun';
      readonly workflowId: string;
      readonly name: 'abort' | 'pause' | 'resume' | typeof OWNER_WAITS_SIGNAL;
      readonly argument: { readonly by: string | null; readonly reason?: string };
    }
  | { readonly kind: 'lookAtRun'; readonly workflowId: string; readonly runId: string; readonly word: RunWord | null }
  | { readonly kind: 'lookAtLanding'; readonly workflowId: string; readonly runId: string }
  /** A newer one takes the place of one that was not sent. */
  | {
      readonly kind: 'report';
      readonly workflowId: string;
      readonly topic: 'report';
      readonly project: string;
      readonly row: ItemRow;
    };

export type ItemStep = Step<ItemState, ItemErrand>;

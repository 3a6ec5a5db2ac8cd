/** What a landing knows, and how it looks to people. Pure. */

import type { PullDecision } from '../../protocol/actors/decide-pull.js';
import type {
  DueAnswer,
  EnsurePullResult,
  LeaveQueueResult,
  LookAtPullResult,
  ReadRemarksResult,
} from '../../protocol/actors/forge.js';
import type {
  ExamineRepairResult,
  FindBaseResult,
  FindKeptResult,
  LandingGate,
  LandingInput,
  LandingMessage,
  LandingTerms,
  PlanRepairResult,
  RepairKind,
  RunEnd,
  RunToLand,
} from '../../protocol/actors/landing.js';
import type { EntryChange, QueueEntry, QueueRef } from '../../protocol/actors/merge-queue.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import type { Finding } from '../../protocol/run/finding.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { Step } from '../actor/actor.js';
import { NOT_RUNG, type Rung } from '../gates/gate-clock.js';
import type { LandingErrand } from './landing-errand.js';

/** Unit: ms since 1970, as all times here. */
export type Phase =
  /** Nobody has asked for it yet. */
  | { readonly kind: 'idle' }
  /** The run, and then the base, are looked at; `lookAtMs`: when a run that is still open is looked at again; `trouble`: what keeps that from being done, where nobody is asked about it. */
  | {
      readonly kind: 'opening';
      readonly lookAtMs: number | null;
      readonly everyMs: number;
      readonly trouble: string | null;
    }
  | {
      readonly kind: 'queued';
      readonly queue: QueueRef;
      readonly entry: QueueEntry;
      /** What the queue said last; null: nothing yet. */
      readonly heard: EntryChange | null;
      readonly sendAtMs: number;
      readonly everyMs: number;
      /** Its entry is asked back, and why: the queue has the last word. */
      readonly leaving: Leaving | null;
    }
  | Pulling
  | Repairing
  /** Of `gates` one is open. */
  | {
      readonly kind: 'gated';
      readonly reason: LandingGate;
      readonly why: string;
      readonly files: readonly string[];
      /** The pull request is still looked at: what a person is asked for may be done there, or people merge it. Null: there is none. */
      readonly pulling: Pulling | null;
    }
  /** Until a person resumes it. `repair`: what it was at; null: it begins again. */
  | Paused
  | { readonly kind: 'merged'; readonly commit: string | null }
  | Abandoned;

export interface Paused {
  readonly kind: 'paused';
  readonly why: string;
  readonly repair: Repairing | null;
  readonly held: HeldByForge | null;
}

export interface Abandoned {
  readonly kind: 'abandoned';
  readonly why: string;
  readonly held: HeldByForge | null;
}

/** Its pull request could not be taken out of the forge's own queue, which may merge it all the same. */
export interface HeldByForge {
  readonly why: string;
  readonly sinceMs: number;
  /** When that is tried again; null: it is tried just now, or no more. */
  readonly tryAtMs: number | null;
  readonly everyMs: number;
}

/** It is shown by a pull request, of which news is waited for. */
export interface Pulling {
  readonly kind: 'pull';
  /** What a person mended by hand; null: the head of the run's answer. */
  readonly head: string | null;
  /** The head is there, and its pull request says what it is to say. */
  readonly isShown: boolean;
  /** The forge takes no more requests until then; `wait` is the id of the wait at the gate of its owner. Null: it does. */
  readonly limit: { readonly wait: string; readonly untilMs: number } | null;
  /** Somebody rang while it was looked at: what they rang for may be of after that look. */
  readonly isRung: boolean;
  /** Null: it is made true, or looked at, just now. */
  readonly lookAtMs: number | null;
  readonly everyMs: number;
  /** What kept the last of these from being done, where nobody is asked about it; null: nothing, or no answer. */
  readonly trouble: string | null;
  /** When a look showed something else than the one before; that its checks are late by now is nothing else. */
  readonly newsAtMs: number;
  /** The queue has just found that it may not be merged: a look that says it may be is no reason to send it there again at once. */
  readonly isBack: boolean;
}

export interface Pull {
  readonly number: number;
  readonly url: string;
  readonly isDraft: boolean;
  /** By the forge's clock, of the newest answer: an older one is no news. */
  readonly updatedAt: string;
  /** By the last look; null: there was none since. */
  readonly decision: PullDecision | null;
  /** The forge's own queue had it since it was shown. */
  readonly wasQueued: boolean;
}

/** What was made of what people and required checks say at its pull request. */
export interface Reactions {
  /** Runs that took something up. */
  readonly rounds: number;
  /** Of the remarks that were taken up. */
  readonly keys: readonly string[];
  /** Reviews that were not told so yet. */
  readonly due: readonly DueAnswer[];
  /** `PullState.updatedAt` of the look after which they were read last, and told; null: they were not. */
  readonly readAt: string | null;
}

export type Queued = Extract<Phase, { kind: 'queued' }>;

/** Once the queue has given the entry back. `again`: it is asked for anew. */
export interface Leaving {
  readonly to: 'abandoned' | 'paused' | 'again';
  readonly why: string;
}

/** A child run makes another head of it. `runId` null: how it begins is being found out. */
export interface Repairing {
  readonly kind: 'repairing';
  readonly repair: Repair;
  readonly runId: string | null;
  /** It said that it ends. */
  readonly isClosing: boolean;
  readonly lookAtMs: number | null;
  readonly everyMs: number;
  /** What keeps it from being planned or looked at, where nobody is asked about it. */
  readonly trouble: string | null;
}

/** `changes`: a person asked for them. `turn`: a fix on what both come to. `recreate`: from its first stage, on the base as it is now. */
export interface Repair {
  readonly kind: RepairKind;
  /** What is to be mended. */
  readonly why: string;
  readonly files: readonly string[];
  /** In parts, as the run is told it; empty: `why` is all. */
  readonly findings: readonly Finding[];
}

/** What its journal says, and which of it no host has written yet. */
export interface LandingJournal {
  /** Of the last event. */
  readonly seq: number;
  readonly updatedAt: string;
  /** The oldest first. */
  readonly unwritten: readonly JournalEvent[];
  readonly isWriting: boolean;
  /** How many notifications were sent. */
  readonly told: number;
}

/** JSON-safe: it goes over continue-as-new. */
export interface LandingState {
  readonly runId: string;
  /** Of that run. */
  readonly workflowId: string;
  /** The workflow that the run worked for, which hears that it landed; null: it worked for none. */
  readonly owner: string | null;
  /** Whose head lands: the run itself, or the last one that repaired it. */
  readonly headRunId: string;
  /** `<workflow id>/<first execution>`: begins the ids of its entries. */
  readonly self: string;
  /** Another base than the run's, as somebody wrote it. */
  readonly onto: string | null;
  readonly base: string | null;
  /** A person asked for it. */
  readonly isAsked: boolean;
  /** Whether one is expected to answer, where none asked. */
  readonly attended: boolean;
  /** As the server told it; null: not yet. */
  readonly run: RunEnd | null;
  /** Null: its host was not asked yet. */
  readonly terms: LandingTerms | null;
  readonly phase: Phase;
  /** Null: none shows it. */
  readonly pull: Pull | null;
  readonly reactions: Reactions;
  /** How often it waited for a limit of the forge. */
  readonly waits: number;
  /** What the engine pushed to its branch on the forge last: whatever else stands there is a person's. Null: nothing. */
  readonly pushed: string | null;
  /** What somebody else pushed there, as it was seen last; null: nothing, or it was removed. */
  readonly theirs: string | null;
  /** ISO 8601: when it was first sent to the queue of this base. It keeps its age, whatever it left for; null: it was not. */
  readonly since: string | null;
  /** ISO 8601: when its queue last found it in conflict; null: never. */
  readonly conflictAt: string | null;
  /** How many entries it made, each with an id of its own. */
  readonly entries: number;
  /** The same of child runs. */
  readonly children: number;
  /** How often it was repaired unasked. */
  readonly repairs: number;
  /** How often a person requested changes. */
  readonly changeRounds: number;
  /** Oldest first. */
  readonly gates: readonly Gate[];
  /** What rang at the open one. */
  readonly rung: Rung;
  /** What a person said is no reason to wait. */
  readonly waived: readonly LandingGate[];
  readonly journal: LandingJournal;
}

export type LandingEvent =
  | LandingMessage
  /** Its own first execution. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'opened'; readonly run: RunToLand }
  /** What its host keeps of a run without an answer. */
  | { readonly kind: 'kept'; readonly kept: FindKeptResult }
  | { readonly kind: 'planned'; readonly plan: PlanRepairResult }
  /** Of the child run; `taken`: another has its id. */
  | { readonly kind: 'begun'; readonly fate: 'started' | 'taken' }
  /** What the child did cannot land by itself; null: it can. */
  | { readonly kind: 'examined'; readonly found: ExamineRepairResult }
  | { readonly kind: 'based'; readonly base: FindBaseResult }
  /** The pull request was to be made true. */
  | { readonly kind: 'ensured'; readonly result: EnsurePullResult }
  | { readonly kind: 'pulled'; readonly result: LookAtPullResult }
  | { readonly kind: 'remarked'; readonly result: ReadRemarksResult }
  /** It was to be taken out of the forge's own queue. */
  | { readonly kind: 'left'; readonly result: LeaveQueueResult }
  /** What was to be asked for could not be. */
  | { readonly kind: 'failed'; readonly reason: LandingGate; readonly why: string }
  /** The last event that the host holds; null: it could not be asked. */
  | { readonly kind: 'written'; readonly seq: number | null };

export type LandingStep = Step<LandingState, LandingErrand>;

export function notAsked(
  runId: string,
  { self, workflowId, onto, attended, isUnasked, owner }: Pick<LandingState, 'self'> & LandingInput,
): LandingState {
  return {
    runId,
    workflowId: workflowId ?? runId,
    self,
    onto,
    attended,
    isAsked: !isUnasked,
    owner,
    headRunId: runId,
    base: null,
    run: null,
    terms: null,
    phase: { kind: 'idle' },
    pull: null,
    reactions: { rounds: 0, keys: [], due: [], readAt: null },
    waits: 0,
    pushed: null,
    theirs: null,
    since: null,
    conflictAt: null,
    entries: 0,
    children: 0,
    repairs: 0,
    changeRounds: 0,
    gates: [],
    rung: NOT_RUNG,
    waived: [],
    journal: { seq: 0, updatedAt: new Date(0).toISOString(), unwritten: [], isWriting: false, told: 0 },
  };
}

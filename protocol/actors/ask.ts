/** What an item asks an agent about its task, without a run, and what comes back. */
import type { ClarifyRound } from '../admission/clarify-text.js';
import type { Classification } from '../admission/classifier-answer.js';
import type { Resemblance } from '../admission/duplicate-answer.js';
import type { AfterOverflow, RunTurnResult } from '../messages/messages.js';
import type { AskName } from '../run/admission-policy.js';
import type { Place } from '../run/place.js';

export interface AskInput {
  readonly place: Place;
  readonly item: AskedItem;
  /** The first execution of the item. */
  readonly owner: string;
  readonly ask: AskName;
  /** From 0: a pass begins with the answers of people to the one before it. */
  readonly pass: number;
  /** What people answered so far. Source: S-48. */
  readonly rounds: readonly ClarifyRound[];
  /** Of `dedup`: ids of the tasks that it is compared with. */
  readonly candidates?: readonly string[];
  /** An agent of the policy instead of the ask's own (V-125). */
  readonly agent: string | null;
  /** As of `RunTurnInput`. */
  readonly accountOpening: string | null;
  readonly afterOverflow: AfterOverflow | null;
  /** Why the answer before was not accepted: it is asked once more. Null: it is asked for the first time. Source: S-29. */
  readonly refused: string | null;
}

/** As of `ItemInput`. */
export interface AskedItem {
  readonly id: string;
  readonly hash: string;
  readonly repo: string;
  readonly repoKey: string;
}

export interface AskResult
  extends Pick<RunTurnResult, 'outcome' | 'agent' | 'exitCode' | 'durationMs' | 'costMicroUsd' | 'tokens' | 'started'> {
  /** Null where the turn did not end well, or its answer is none. */
  readonly answer: AskAnswer | null;
  /** Why its answer is none. */
  readonly why: string | null;
}

export type AskAnswer =
  | { readonly ask: 'dedup'; readonly resemblance: Resemblance }
  | { readonly ask: 'classify'; readonly classification: Classification }
  | { readonly ask: 'plan'; readonly plan: PlanOfTask };

/** A plan lies on the host of its item; this is what others know of it. */
export interface PlanOfTask {
  /** SHA-256 of its text: whoever approves it names it. Source: S-39. */
  readonly hash: string;
  /** A line for each step. */
  readonly lines: readonly string[];
  /** It changes nothing: its task asks for an answer. Source: S-81. */
  readonly readsOnly: boolean;
}

/** A task that was taken in is compared once more, with what people answered. Source: S-49. */
export interface CompareAgainInput {
  readonly item: AskedItem;
  readonly project: string;
  readonly rounds: readonly ClarifyRound[];
}

/** What stands in the file in which people answer. `withdrawn`: nobody waits for an answer any more. */
export interface WriteQuestionsInput {
  readonly item: AskedItem;
  /** From 1. */
  readonly round: number;
  readonly questions: readonly string[];
  readonly state: 'asked' | 'answered' | 'withdrawn';
  /** Those that were given. */
  readonly answers: readonly string[];
}

/** Of its folders and its processes: no run has an `@` in its id. */
export function askPlaceName({ id, ask }: { readonly id: string; readonly ask: AskName }): string {
  return `@items/${id}/${ask}`;
}

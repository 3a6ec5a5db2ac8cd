/**
 * What Skep calls the state of a task: the status view of the preset `skep`. It only names what the engine knows, and decides nothing. Total: a state with a reason that
 * never goes along with it has a word too, since anybody can write the memo that lists are made of. Pure. Source: docs/requirements/skep.md "Vocabulary".
 */
import type { ItemReason, ItemView } from '../actors/item.js';

export const STATUS_VIEWS = ['engine', 'skep'] as const;
export type StatusView = (typeof STATUS_VIEWS)[number];

export type SkepStatus =
  | 'created'
  | 'pending'
  | 'pending_clarification'
  | 'approved'
  | 'queued'
  | 'executing'
  | 'done'
  | 'failed'
  | 'interrupted'
  | 'rejected'
  | 'deleted'
  | 'duplicate';

/** What it is made of; of a line of a journal nobody knows more than state and reason. */
export type SkepFacts = Pick<ItemView, 'state' | 'reason'> & Partial<Pick<ItemView, 'head' | 'waits' | 'isHeld'>>;

/** What a preset has people read. */
export function viewOfPreset(preset: string): StatusView {
  return preset === 'skep' ? 'skep' : 'engine';
}

export function skepStatus({ state, reason, head = null, waits = null, isHeld = false }: SkepFacts): SkepStatus {
  switch (state) {
    case 'admitting':
      return 'created';
    case 'clarifying':
      return 'pending_clarification';
    case 'gated':
      return 'pending';
    case 'queued':
      // What is paused asks for no slot, so it has no place in the queue.
      return isHeld || waits === 'person' ? 'approved' : 'queued';
    case 'running':
      return 'executing';
    case 'parked':
      return reason === 'unmerged' && head !== null ? HEAD_WORDS[head] : restWord(reason);
    case 'closed':
      return restWord(reason);
  }
}

/** Null: a reason that this version cannot read. Whoever waits for the task is not told that it is done. */
function restWord(reason: ItemReason | null): SkepStatus {
  return reason === null ? 'interrupted' : RESTS[reason];
}

/** Landing is a stage of the preset, and the engine is at it by itself: only a head that waits for somebody was left. Source: S-79, S-111. */
const HEAD_WORDS: Readonly<Record<NonNullable<ItemView['head']>, SkepStatus>> = {
  landing: 'executing',
  ready: 'executing',
  waiting: 'interrupted',
  merged: 'done',
};

/** Of what rests, by its reason; those of a state before that say what the state says. */
const RESTS: Readonly<Record<ItemReason, SkepStatus>> = {
  dedup: 'created',
  classify: 'created',
  plan: 'pending',
  questions: 'pending_clarification',
  start: 'pending',
  classify_failed: 'pending',
  plan_failed: 'pending',
  low_confidence: 'pending',
  clarification_limit: 'pending',
  possible_duplicate: 'pending',
  step_failed: 'failed',
  executor_error: 'failed',
  // Red checks fail a task. Source: S-103.
  blocked: 'failed',
  // It did not begin, and whoever runs it again tries once more.
  dependency_failed: 'failed',
  repository_changed: 'failed',
  stopped: 'interrupted',
  agent_gone: 'interrupted',
  no_commits: 'interrupted',
  unmerged: 'interrupted',
  run_gone: 'interrupted',
  aborted: 'interrupted',
  merged: 'done',
  no_changes: 'done',
  forced: 'done',
  rejected: 'rejected',
  deleted: 'deleted',
  duplicate: 'duplicate',
  // Nobody took it up for as long as it is kept. Source: S-88.
  expired: 'failed',
};

/**
 * What a landing is told, what it tells, and how it looks. It owns the fate of the head of one closed run; the order in which heads land, and the base itself, belong to the merge
 * queue. Anybody can send to it, so every argument is read by hand. Pure.
 */
import type { RunSource } from '../messages/messages.js';
import type { MessageReading } from '../messages/run-message.js';
import type { MergeState } from '../messages/run-view.js';
import type { RunOutcome } from '../run/outcomes.js';
import { fieldsOf, nameIn, textIn, wordIn } from '../text/fields.js';
import { ENTRY_SIGNAL, ENTRY_STATES, type EntryChange, type EntryState, EXHAUSTED } from './merge-queue.js';

/** Signals to a landing; those of people are Updates too. */
export const LANDING_SIGNALS = ['land', 'abort', ENTRY_SIGNAL] as const;
export const LANDING_UPDATES = ['land', 'abort'] as const;

/** To start one is to ask for it, also by hand. */
export interface LandingInput {
  /** Null: the branch that the run began at. */
  readonly onto: string | null;
}

/** Of whatever somebody starts it with by hand. */
export function readLandingInput(input: unknown): LandingInput {
  return { onto: nameIn(fieldsOf(input), 'onto') };
}

/** Why nothing more is tried until a person says so. */
export const LANDING_GATES = [
  ...EXHAUSTED,
  'no_answer',
  'not_merge_ready',
  'no_base',
  'host_away',
  'withdrawn',
] as const;
export type LandingGate = (typeof LANDING_GATES)[number];

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
  /** On the base, or in the chain before it. */
  readonly commit: string | null;
  /** A person must say what becomes of it; null: it waits for nobody. */
  readonly gate: { readonly reason: LandingGate; readonly why: string; readonly files: readonly string[] } | null;
  /** Why it was given up. */
  readonly abandoned: string | null;
}

/** What a closed run says of the head that is to land; from the server, never from a file. */
export type RunToLand =
  | { readonly kind: 'open' }
  | { readonly kind: 'none' }
  | { readonly kind: 'answer'; readonly outcome: RunOutcome; readonly source: RunSource | null };

export interface FindBaseInput {
  readonly repoKey: string;
  /** Any run of the repository: it says where the repository is. */
  readonly runId: string;
  /** As somebody wrote it. */
  readonly base: string;
}

/** `refused`: nothing can land there; `why` is one sentence. */
export type FindBaseResult =
  | { readonly kind: 'branch'; readonly branch: string }
  | { readonly kind: 'refused'; readonly why: string };

export type LandingMessage =
  | { readonly kind: 'land'; readonly onto: string | null; readonly by: string | null }
  | { readonly kind: 'abort'; readonly by: string | null; readonly reason: string | null }
  | { readonly kind: typeof ENTRY_SIGNAL; readonly change: EntryChange };

export function readLandingMessage(name: string, argument: unknown): MessageReading<LandingMessage> {
  const message = messageOf(name, argument);
  return message === null ? { kind: 'bad', why: `the argument of ${name} cannot be read` } : { kind: 'ok', message };
}

function messageOf(name: string, argument: unknown): LandingMessage | null {
  // A list is what the worker makes of a payload that cannot be read.
  if (Array.isArray(argument)) return null;
  const fields = fieldsOf(argument);
  const by = textIn(fields, 'by');
  if (name === 'land') return { kind: 'land', onto: nameIn(fields, 'onto'), by };
  if (name === 'abort') return { kind: 'abort', by, reason: textIn(fields, 'reason') };
  const [id, state, version] = [nameIn(fields, 'id'), wordIn(fields, 'state', ENTRY_STATES), fields['version']];
  if (name !== ENTRY_SIGNAL || id === null || state === null || typeof version !== 'number') return null;
  const files = fields['files'];
  return {
    kind: ENTRY_SIGNAL,
    change: {
      ...{ id, version, state, commit: nameIn(fields, 'commit'), reason: wordIn(fields, 'reason', EXHAUSTED) },
      why: textIn(fields, 'why'),
      files: Array.isArray(files) ? files.filter((one) => typeof one === 'string') : [],
    },
  };
}

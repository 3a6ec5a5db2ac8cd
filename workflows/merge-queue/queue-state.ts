/** What a merge queue knows, and how an entry changes, leaves, or is taken out of the chain, and what its owner hears of it. Pure. */
import type {
  BaseLook,
  Chain,
  ChainCommits,
  CheckTreeInput,
  CheckTreeResult,
  EntryChange,
  EntryState,
  Hold,
  LandEntryInput,
  LandEntryResult,
  LookAtBaseInput,
  LookAtBaseResult,
  QueueEntry,
  QueueMessage,
  TreeEvidence,
  WatchBaseInput,
  WatchBaseResult,
} from '../../protocol/actors/merge-queue.js';
import { shortHash } from '../../protocol/text/short-hash.js';
import type { Step } from '../actor/actor.js';

/** Unit: ms since 1970, as all times here. */
export interface Entry extends QueueEntry {
  readonly version: number;
  readonly state: Extract<EntryState, 'waiting' | 'landing' | 'ready' | 'watched'>;
  /** One sentence, of what it waits for; null: for its turn. */
  readonly why: string | null;
  /** What its owner heard last: a turn that comes and goes is nothing to be told. */
  readonly told: string;
  readonly isWithdrawn: boolean;
  /** When its owner did so first. Missing: it is not. */
  readonly withdrawnAtMs?: number;
  /** How often in a row the base moved under it. */
  readonly moved: number;
  /** Every red command was red on this base too: it waits until the base is another. */
  readonly redAt: string | null;
  /** How many of its attempts have failed. */
  readonly used: number;
  /** Null: none has failed. */
  readonly nextAttemptAtMs: number | null;
  /** Of a watched one: where the base stood when it was looked for there. */
  readonly seenOn: string | null;
  /** The commit on the base that the forge made of it, while its tree is checked; null: it is not there. */
  readonly landed: string | null;
  /** Its host went away while it landed: it may be on the base, until that host has said. Missing: it is not. */
  readonly isUnsure?: boolean;
  /** How long it waits the next time that its own attempt cannot be made at the forge; missing or null: its last one could. Unit: ms. */
  readonly heldMs?: number | null;
  /** The last attempt that failed by one: made on the same commit, its head would meet it again. */
  readonly conflict: Conflict | null;
}

export interface Conflict {
  /** What its head was to be merged with. */
  readonly on: string;
  readonly why: string;
  readonly files: readonly string[];
}

/** JSON-safe: it goes over continue-as-new. */
export interface QueueState {
  /** In the order of arrival. */
  readonly entries: readonly Entry[];
  readonly chain: Chain | null;
  /** As it was seen last. */
  readonly base: BaseLook | null;
  /** Null: it was never seen. */
  readonly seenAtMs: number | null;
  /** The newest last. */
  readonly results: readonly (EntryChange & Pick<QueueEntry, 'owner' | 'runId'>)[];
  readonly evidence: readonly TreeEvidence[];
  /** One thing at a time is done to the base. */
  readonly isAtWork: boolean;
  /** How many things were begun. */
  readonly begun: number;
  readonly isPaused: boolean;
  /** It is tried again when the base is looked at. */
  readonly held: Hold | null;
  /** When the base is looked at next; null: nobody waits for it. */
  readonly lookAtMs: number | null;
  /** Whoever rings before asks in vain: a limit of the forge is over then. Null: it has none. */
  readonly notBeforeMs: number | null;
  /** By host, those that could not do their part: others go before them. Missing: there are none. */
  readonly putOff?: Readonly<Record<string, PutOff>>;
  /** How many watches ended, and whether the base is to be looked at before the next. */
  readonly watches: { readonly ended: number; readonly isOver: boolean };
  /** Until then a person may take the chain as it stands, so no link of it is given up; null: nobody takes it. */
  readonly takenUntilMs: number | null;
}

export interface PutOff {
  /** Until when its entries wait. */
  readonly untilMs: number;
  /** How long they wait where it is away then. */
  readonly everyMs: number;
}

export type QueueEvent =
  | QueueMessage
  | ({ readonly kind: 'landed'; readonly id: string } & LandEntryResult)
  | ({ readonly kind: 'checked'; readonly id: string; readonly on: string } & CheckTreeResult)
  /** `by`: the id of the entry whose host looked. `asked`: those of the watched that were looked for. */
  | ({ readonly kind: 'looked'; readonly by: string; readonly asked: readonly string[] } & LookAtBaseResult)
  | { readonly kind: 'watched'; readonly base: WatchBaseResult['kind'] }
  /** The host that has what was to land did not take it, or could not do it. `failure`: what its last attempt came to. `isUnsure`: that may have landed it. */
  | { readonly kind: 'away'; readonly id: string; readonly failure: string | null; readonly isUnsure: boolean }
  /** What was to be done for an entry cannot be done: its run is not there. */
  | { readonly kind: 'failed'; readonly id: string; readonly why: string };

/** What is done to the base, one after the other, beside the watch. */
export type BaseErrand =
  | ({ readonly kind: 'land' } & OnBase & Pick<LandEntryInput, 'chain' | 'evidence'>)
  | ({ readonly kind: 'check' } & OnBase & Pick<CheckTreeInput, 'commit' | 'on'>)
  | ({ readonly kind: 'look' } & OnBase & Pick<LookAtBaseInput, 'chain' | 'mayMove' | 'watched'>);

/** `tell`: what an owner hears. `workflowId` orders them. */
export type QueueErrand =
  | BaseErrand
  | BaseWatch
  | { readonly kind: 'tell'; readonly workflowId: string; readonly change: EntryChange };

export interface BaseWatch extends Pick<WatchBaseInput, 'runId' | 'at' | 'isInUse'> {
  readonly kind: 'watch';
  readonly workflowId: 'watch';
  readonly host: string;
}

interface OnBase {
  readonly workflowId: 'base';
  readonly lasts: true;
  /** Of its place. */
  readonly seq: number;
  readonly entry: QueueEntry;
}

export type QueueStep = Step<QueueState, QueueErrand>;

export const EMPTY_QUEUE: QueueState = {
  entries: [],
  chain: null,
  base: null,
  seenAtMs: null,
  results: [],
  evidence: [],
  isAtWork: false,
  begun: 0,
  isPaused: false,
  held: null,
  lookAtMs: null,
  notBeforeMs: null,
  takenUntilMs: null,
  watches: { ended: 0, isOver: false },
};

/** Of everything that is done to the base. */
const BASE = 'base';

/** Ended entries that are remembered, so that one that is sent again is answered as it ended. */
const MAX_RESULTS = 200;

/** What the next candidate is made on; null: it is not known yet. */
export function tipOf({ chain, base }: Pick<QueueState, 'chain' | 'base'>): string | null {
  return chain?.links.at(-1)?.commit ?? base?.at ?? null;
}

/** The link of this entry and those behind it are links no more. */
export function makeAnewFrom(step: QueueStep, id: string): QueueStep {
  const { chain } = step.state;
  const at = chain?.links.findIndex(({ entry }) => entry === id) ?? -1;
  if (chain === null || at < 0) return step;
  const left = chain.links.slice(0, at);
  const state = { ...step.state, chain: left.length === 0 ? null : { ...chain, links: left } };
  const begun: QueueStep = { ...step, state };
  return chain.links.slice(at).reduce((rest, { entry }) => change(rest, entry, { state: 'waiting', why: null }), begun);
}

type Changed = Partial<
  Pick<
    Entry,
    | 'state'
    | 'why'
    | 'moved'
    | 'redAt'
    | 'used'
    | 'nextAttemptAtMs'
    | 'conflict'
    | 'seenOn'
    | 'landed'
    | 'isWithdrawn'
    | 'isUnsure'
    | 'heldMs'
  >
>;

type Ended = Partial<Pick<EntryChange, 'commit' | 'reason' | 'why' | 'files'>> & {
  readonly state: Exclude<EntryState, Entry['state']>;
};

/** Nothing was told of an entry. */
export const UNTOLD = shortHash('');

/** Of what is kept of each of a thousand entries; its owner hears the whole. */
const MAX_WHY_CHARS = 200;
const MAX_FILES_CHARS = 300;

export function cutWhy(why: string): string {
  return why.slice(0, MAX_WHY_CHARS);
}

/** The first of them. */
export function cutFiles(files: readonly string[]): readonly string[] {
  let left = MAX_FILES_CHARS;
  return files.filter(({ length }) => {
    left -= length;
    return left >= 0;
  });
}

/** The entry stays. Its owner hears of it where it waits for something else than before. */
export function change(step: QueueStep, id: string, to: Changed): QueueStep {
  const { entries } = step.state;
  const entry = entries.find((one) => one.id === id);
  if (entry === undefined) return step;
  const { why } = { ...entry, ...to };
  const next = { ...entry, ...to, why: why === null ? null : cutWhy(why) };
  const change = changeOf(step.state, next);
  const told = shortHash(change.state === 'ready' ? `ready ${change.commit}` : (next.why ?? ''));
  const isNews = told !== entry.told;
  const changed = isNews ? { ...next, told, version: entry.version + 1 } : next;
  const state = { ...step.state, entries: entries.map((one) => (one.id === id ? changed : one)) };
  const { version } = changed;
  return { state, errands: isNews ? [...step.errands, tell(entry.owner, { ...change, version })] : step.errands };
}

/** It is a link, and may be on the base by now. */
export function isLeaving({ isWithdrawn, state }: Entry): boolean {
  return isWithdrawn && state === 'ready';
}

/** The entry leaves. */
export function end(step: QueueStep, id: string, to: Ended): QueueStep {
  const { entries, results } = step.state;
  const entry = entries.find((one) => one.id === id);
  if (entry === undefined) return step;
  const { commit = null, reason = null, why = null, files = [], state } = to;
  const change: EntryChange = { id, version: entry.version + 1, state, commit, reason, why, files };
  const { owner, runId } = entry;
  return {
    state: {
      ...step.state,
      entries: entries.filter((one) => one.id !== id),
      results: [...results, { ...cut(change), owner, runId }].slice(-MAX_RESULTS),
    },
    errands: [...step.errands, tell(owner, change)],
  };
}

function cut(change: EntryChange): EntryChange {
  const { why, files } = change;
  return { ...change, why: why === null ? null : cutWhy(why), files: cutFiles(files) };
}

export function changeOf({ chain }: QueueState, { id, version, state, why }: Entry): EntryChange {
  const commit = chain?.links.find(({ entry }) => entry === id)?.commit ?? null;
  return { id, version, state, commit, reason: null, why, files: [] };
}

export function tell(owner: string, { id, version, state, commit, reason, why, files }: EntryChange): QueueErrand {
  return { kind: 'tell', workflowId: owner, change: { id, version, state, commit, reason, why, files } };
}

export function commitsOf(chain: Chain | null): ChainCommits | null {
  return chain === null ? null : { base: chain.base, commits: chain.links.map(({ commit }) => commit) };
}

/** The one thing that is done to the base now. */
export function begin(
  { state, errands }: QueueStep,
  errand: (begun: Pick<OnBase, 'workflowId' | 'lasts' | 'seq'>) => QueueErrand,
): QueueStep {
  const begun = state.begun + 1;
  return {
    state: { ...state, isAtWork: true, begun },
    errands: [...errands, errand({ workflowId: BASE, lasts: true, seq: begun })],
  };
}

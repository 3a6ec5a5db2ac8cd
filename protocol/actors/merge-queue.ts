/**
 * What landings and their queue say to each other. A queue owns one base of one repository and the order in which heads land on it: it merges, checks and
 * swaps, one entry at a time. Anybody can send to it, so every argument is read by hand. Pure.
 */
import type { MessageReading } from '../messages/run-message.js';
import type { Place } from '../run/place.js';
import { isRepoKey } from '../run/repo-key.js';
import { isRunId } from '../run/run-id.js';
import { amountIn, type Fields, fieldsOf, nameIn, textIn, timeIn } from '../text/fields.js';
import { shortHash } from '../text/short-hash.js';

export const MERGE_QUEUE_WORKFLOW = 'merge-queue';

/** Signals to a queue; those of people are Updates too. */
export const QUEUE_SIGNALS = ['enqueue', 'withdraw', 'pause', 'resume', 'abort', 'look', 'take'] as const;
export const QUEUE_UPDATES = ['pause', 'resume', 'abort', 'look', 'take'] as const;

/** The signal of a queue to the owner of an entry. */
export const ENTRY_SIGNAL = 'entryChanged';

/** One branch of one repository, as its ref is listed. `repoKey`: of a repository on a host, or `owner/name` of one on a forge, for all hosts. */
export interface QueueRef {
  readonly repoKey: string;
  readonly branch: string;
}

/** No other repoKey has a slash. */
export function isForgeQueue({ repoKey }: Pick<QueueRef, 'repoKey'>): boolean {
  return repoKey.includes('/');
}

const MAX_ID_BYTES = 150;

/** Of what a queue keeps of each entry: with a thousand of them it must go over continue-as-new, for which the server takes 2 MB. */
const MAX_NAME_CHARS = 300;

export function mergeQueueId({ repoKey, branch }: QueueRef): string {
  const id = `${MERGE_QUEUE_WORKFLOW}:${repoKey}@${branch}`;
  return id.length <= MAX_ID_BYTES ? id : `${id.slice(0, MAX_ID_BYTES)}~${shortHash(id)}`;
}

/** Of the queue's folders and refs: no run id has an `@`. */
export function queueName(queue: QueueRef): string {
  const { repoKey, branch } = queue;
  return `@${shortHash(isForgeQueue(queue) ? `${repoKey}@${branch}` : branch)}`;
}

/** Where the base of a forge stood when it was fetched last, in the repository of each host. */
export function baseRefOf(queue: QueueRef): string {
  return `refs/sluice/${queueName(queue)}/base`;
}

/** The last link of the chain: it keeps all of them from being pruned. Where something new begins the queue says, not this ref. */
export function tipRefOf(queue: QueueRef): string {
  return `refs/sluice/${queueName(queue)}/tip`;
}

/** The candidate that is being checked. */
export function nextRefOf(queue: QueueRef): string {
  return `refs/sluice/${queueName(queue)}/next`;
}

/** One head that is to land. The same id again is the same entry. */
export interface QueueEntry {
  /** `<owner's workflow id>/<its first execution>/<head run>/<n>`. */
  readonly id: string;
  /** The workflow that is told what becomes of it. */
  readonly owner: string;
  /** The closed run whose head lands. */
  readonly runId: string;
  /** A host id. */
  readonly host: string;
  /** Of the repository on that host. */
  readonly repoKey: string;
  /** The pull request that shows it; null: there is none, and on a forge it does not land. */
  readonly pull: number | null;
  /** The higher first. */
  readonly priority: number;
  /** ISO 8601: of two of one priority the older goes first. */
  readonly since: string;
  /** How often it may fail by a conflict or red checks until it leaves. */
  readonly attempts: number;
  /** Before its second attempt; doubled before each other one. */
  readonly retryWaitMs: number;
  /** Somebody else takes it to the base: the queue never lands it, and tells its owner once it is there, or has nothing left to land. */
  readonly watch: boolean;
  /** A person said that it lands though its base does not contain what it is made on. */
  readonly anyway: boolean;
  /** What a person's word put in place of the head of the run's answer: what was mended by hand, or what is kept of a run without an answer. Null: the answer's. */
  readonly head: string | null;
  /** Its owner wants it back: a queue that does not know it only looks whether one before it landed it. Missing: it is to land. */
  readonly withdrawn?: true;
}

/** Where a message does not say. Source: T-74. */
export const RETRY_WAIT_MS = 30_000;

/** Anybody can ask for any number, and a queue has one base: nobody may keep it at work for ever. */
const MAX_ATTEMPTS = 20;
const LEAST_RETRY_WAIT_MS = 1_000;

export interface EnqueueInput {
  readonly queue: QueueRef;
  readonly entry: QueueEntry;
}

/** Why an entry has left the queue without landing. */
export const EXHAUSTED = [
  'conflict',
  'red',
  'unchecked',
  'nothing_left',
  'base_rewritten',
  'base_busy',
  'not_ready',
  'refused',
] as const;
export type Exhausted = (typeof EXHAUSTED)[number];

export const ENTRY_STATES = ['waiting', 'landing', 'ready', 'watched', 'merged', 'exhausted', 'withdrawn'] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** Why nothing lands, whatever its entry is. `base_red`: all that wait were tried on this base, and what is red of them is red without them. */
export const HELD = ['config_not_trusted', 'base_gone', 'base_red', 'forge'] as const;
export type HeldReason = (typeof HELD)[number];

/** `why` is one sentence, with what mends it. */
export interface Hold {
  readonly reason: HeldReason;
  readonly why: string;
}

/** What a queue tells the owner of an entry. */
export interface EntryChange {
  readonly id: string;
  /** Grows with each change of this entry: what comes late says nothing. */
  readonly version: number;
  readonly state: EntryState;
  /** The commit on the base, or in the chain before it. */
  readonly commit: string | null;
  /** Of what is merged: it is on the base, and what its checks came to there. */
  readonly reason: Exhausted | null;
  /** One sentence. */
  readonly why: string | null;
  readonly files: readonly string[];
}

/** A merge that is checked and waits until the base is free. */
export interface Link {
  readonly entry: string;
  readonly commit: string;
}

/** Candidates, each made on the one before it, the first on `base`. */
export interface Chain {
  /** Where the base stood. */
  readonly base: string;
  readonly links: readonly Link[];
}

/** What an activity must know of it. */
export interface ChainCommits extends Pick<Chain, 'base'> {
  readonly commits: readonly string[];
}

/** How the base stands beside the chain, after whatever was done to it. */
export interface BaseLook {
  readonly at: string;
  /** How many links, from the first, it contains. */
  readonly contains: number;
  /** Who keeps it from being moved, a clause for people; null: nobody. */
  readonly use: string | null;
  /** The commits of the chain are gone: somebody removed the ref that kept them, and git what it kept. */
  readonly isLost?: true;
}

/** Checks of a tree that count for every commit of that tree. */
export interface TreeEvidence {
  readonly tree: string;
  /** `ValidateResult.checks`. */
  readonly checks: string;
  /** What it was made on. */
  readonly on: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Which head of an entry it is, and on whose word. */
export type HeadOfEntry = Pick<QueueEntry, 'id' | 'runId' | 'repoKey' | 'anyway' | 'head'>;

export interface LandEntryInput {
  readonly place: Place;
  readonly queue: QueueRef;
  /** The queue's first execution. */
  readonly owner: string;
  readonly entry: HeadOfEntry & Pick<QueueEntry, 'pull'>;
  readonly chain: ChainCommits | null;
  readonly evidence: readonly TreeEvidence[];
}

/** What an activity can say of it. */
export interface HoldOfHost extends Hold {
  readonly reason: 'config_not_trusted';
}

/** A base that could not be looked at, or not be moved, for a reason that has nothing to do with what is to land. */
export interface HeldBase {
  readonly held: Hold & { readonly reason: 'forge' };
  /** ISO 8601: when it is looked at again; null: by another host in a minute, and by this one ever more seldom. */
  readonly until: string | null;
}

/** Null: it is gone. */
export type SeenBase = BaseLook | HeldBase | null;

/** A candidate is made `on` the last link, or on the base where there is none. */
export type Landed =
  /** `uncheckedOn`: the forge made it, of another tree than the one that was checked; its parent on the base. */
  | { readonly kind: 'merged'; readonly commit: string; readonly uncheckedOn?: string }
  | { readonly kind: 'conflict'; readonly on: string; readonly why: string; readonly files: readonly string[] }
  /** The base is in use or locked. */
  | { readonly kind: 'ready'; readonly commit: string; readonly on: string }
  /** Nothing is known of the candidate's tree. */
  | { readonly kind: 'check'; readonly commit: string; readonly on: string }
  /** The base or the chain moved while it was at work. `isUnseen`: nothing was looked at, for the base itself could not be seen. */
  | { readonly kind: 'moved'; readonly isUnseen?: true }
  /** Nothing lands on this base until a person has done something; it costs no attempt. */
  | ({ readonly kind: 'held' } & HoldOfHost)
  | { readonly kind: 'exhausted'; readonly reason: Exclude<Exhausted, 'conflict'>; readonly why: string };

export interface LookAtBaseInput extends Pick<LandEntryInput, 'place' | 'queue' | 'owner' | 'chain'> {
  /** Any run of the repository: it says where the repository is. */
  readonly runId: string;
  readonly repoKey: string;
  /** The base is moved to the last link where nobody uses it any more. */
  readonly mayMove: boolean;
  /** Those that somebody else takes there, and that were not looked at since the base moved. */
  readonly watched: readonly WatchedHead[];
}

export interface WatchedHead extends HeadOfEntry, Pick<QueueEntry, 'pull'> {
  /** Where the base stood when it was looked at last; null: it never was. */
  readonly seenOn: string | null;
}

export interface LookAtBaseResult {
  readonly base: SeenBase;
  /** Those that are there, or will never be; the others stay. */
  readonly watched: readonly WatchedEnd[];
}

export interface WatchedEnd extends Pick<QueueEntry, 'id'> {
  readonly landed: Extract<Landed, { readonly kind: 'merged' | 'exhausted' }>;
}

/** What is waited for: the base stands elsewhere, or is free. It is read from files alone. */
export interface WatchBaseInput {
  readonly queue: QueueRef;
  /** As in `LookAtBaseInput`. */
  readonly runId: string;
  /** Null: it is gone. */
  readonly at: string | null;
  readonly isInUse: boolean;
}

/** `unwatched`: this host has enough to watch, or cannot do it by files. */
export interface WatchBaseResult {
  readonly kind: 'stirred' | 'unwatched';
}

export interface LandEntryResult {
  readonly base: SeenBase;
  readonly landed: Landed;
}

export interface CheckTreeInput {
  readonly place: Place;
  readonly queue: QueueRef;
  readonly owner: string;
  readonly entry: Pick<QueueEntry, 'id' | 'runId' | 'repoKey'>;
  readonly commit: string;
  /** What it is made on: red there too is red without this head. */
  readonly on: string;
}

export type CheckTreeResult = CheckedTree | ({ readonly outcome: 'held' } & HoldOfHost);

export interface CheckedTree {
  readonly tree: string;
  readonly checks: string;
  readonly outcome: 'green' | 'red' | 'unchecked';
  /** ISO 8601. */
  readonly at: string;
  /** One sentence, of what is not green. */
  readonly why: string | null;
  /** Every red command is red on the parent too. */
  readonly isBaseRed: boolean;
}

/** How an entry of a queue stands. */
export interface QueuedEntry extends QueueEntry {
  readonly state: EntryState;
  /** How many of its attempts have failed. */
  readonly used: number;
  /** ISO 8601; null: none has failed, or it is taken up whenever it is its turn. */
  readonly nextAttemptAt: string | null;
}

/** Answer of Query `status`. */
export interface MergeQueueView extends QueueRef {
  readonly state: 'open' | 'paused' | 'held';
  /** Null: it is not held. */
  readonly held: HeldReason | null;
  /** Why it is held, for people. */
  readonly why: string | null;
  readonly chain: Chain | null;
  /** What keeps the base from being moved. */
  readonly use: string | null;
  /** In the order in which they land, those of the chain first. */
  readonly entries: readonly QueuedEntry[];
  /** The newest last. */
  readonly results: readonly (EntryChange & Pick<QueueEntry, 'runId'>)[];
}

/** Whose heads a queue has. */
export interface QueueWord {
  /** The chain, the oldest link first. `owner`: a landing's workflow id. */
  readonly links: readonly { readonly owner: string; readonly commit: string }[];
  /** Landings whose heads are no links, and may become some. */
  readonly others: readonly string[];
}

export const NO_QUEUE: QueueWord = { links: [], others: [] };

export function queueWordOf({ chain, entries }: Pick<MergeQueueView, 'chain' | 'entries'>): QueueWord {
  const owners = new Map(entries.map(({ id, owner }) => [id, owner]));
  const links = (chain?.links ?? []).map(({ entry, commit }) => ({ owner: owners.get(entry) ?? '', commit }));
  const linked = new Set(links.map(({ owner }) => owner));
  return { links, others: entries.map(({ owner }) => owner).filter((owner) => !linked.has(owner)) };
}

export type QueueMessage =
  | { readonly kind: 'enqueue'; readonly entry: QueueEntry }
  | { readonly kind: 'withdraw'; readonly id: string }
  /** `take`: a person is about to fast-forward their checkout to the end of the chain. */
  | { readonly kind: 'pause' | 'resume' | 'abort' | 'look' | 'take'; readonly by: string | null };

export function readQueueMessage(name: string, argument: unknown): MessageReading<QueueMessage> {
  const message = messageOf(name, argument);
  return message === null ? { kind: 'bad', why: `the argument of ${name} cannot be read` } : { kind: 'ok', message };
}

function messageOf(name: string, argument: unknown): QueueMessage | null {
  // A list is what the worker makes of a payload that cannot be read.
  if (Array.isArray(argument)) return null;
  const fields = fieldsOf(argument);
  if (name === 'pause' || name === 'resume' || name === 'abort' || name === 'look' || name === 'take')
    return { kind: name, by: textIn(fields, 'by') };
  const id = nameIn(fields, 'id');
  if (id === null) return null;
  if (name === 'withdraw') return { kind: 'withdraw', id };
  const [owner, runId, host] = [nameIn(fields, 'owner'), nameIn(fields, 'runId'), nameIn(fields, 'host')];
  const repoKey = nameIn(fields, 'repoKey');
  const since = timeIn(fields, 'since');
  if (name !== 'enqueue' || owner === null || host === null || since === null) return null;
  if (repoKey === null || !isRepoKey(repoKey)) return null;
  if (runId === null || !isRunId(runId)) return null;
  if ([id, owner, host].some(({ length }) => length > MAX_NAME_CHARS)) return null;
  const priority = amountIn(fields, 'priority') ?? 0;
  const watch = fields['watch'] === true;
  const pull = amountIn(fields, 'pull');
  const withdrawn = fields['withdrawn'] === true ? { withdrawn: true as const } : {};
  const said = { watch, anyway: fields['anyway'] === true, head: nameIn(fields, 'head'), ...withdrawn };
  return {
    kind: 'enqueue',
    entry: { id, owner, runId, host, repoKey, pull, priority, since, ...said, ...attemptsIn(fields) },
  };
}

function attemptsIn(fields: Fields): Pick<QueueEntry, 'attempts' | 'retryWaitMs'> {
  const [attempts, retryWaitMs] = [amountIn(fields, 'attempts'), amountIn(fields, 'retryWaitMs')];
  return {
    attempts: Math.min(Math.max(Math.floor(attempts ?? 1), 1), MAX_ATTEMPTS),
    retryWaitMs: Math.max(retryWaitMs ?? RETRY_WAIT_MS, LEAST_RETRY_WAIT_MS),
  };
}

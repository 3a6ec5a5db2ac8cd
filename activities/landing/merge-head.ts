/**
 * The head of an entry: what the run's answer says of it, whether it is on the base by now, and what it and a base come to. It writes objects that no ref names.
 * What lands is the head of the run's own answer, which the server tells, never what a file or a branch says.
 */
import { Context } from '@temporalio/activity';
import type {
  Exhausted,
  HeadOfEntry,
  LandEntryInput,
  Landed,
  QueueRef,
  TreeEvidence,
} from '../../protocol/actors/merge-queue.js';
import type { RunSource } from '../../protocol/messages/messages.js';
import { pushedRefOf } from '../../protocol/names.js';
import type { LandingMethod } from '../../protocol/run/landing-policy.js';
import { isMadeAnew } from '../git/merge/made-anew.js';
import { type Candidate, type CandidateRequest, makeCandidate } from '../git/merge/make-candidate.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import { readLanded } from '../unit/landed-mark.js';
import { landingOf } from './find-base.js';
import { findMended, readKept } from './find-head.js';
import { landingMessage } from './landing-message.js';
import { commonWith, headToLand, mendedToLand } from './plan-repair.js';
import { type AtQueue, type LandingDeps, queueGitOf } from './queue-place.js';

/** Of one run: whose head it is, and where it lands. */
export interface OfEntry extends Pick<LandEntryInput, 'queue'> {
  readonly entry: HeadOfEntry;
}

/** A merge that is about to be made true. */
export interface Planned {
  readonly commit: string;
  readonly tree: string;
  readonly on: string;
  /** What of the run is in it. */
  readonly head: string;
  /** Of a commit that is made for it. */
  readonly message: string;
  readonly how: 'fast_forward' | LandingMethod;
}

/** `head`: of the run's answer, or what is kept of a run without one. */
export interface Source extends Pick<RunSource, 'head'> {
  /** Of green checks of its own. */
  readonly evidence: readonly TreeEvidence[];
}

const GREEN: readonly string[] = ['passed', 'no_commands'];

/** It is there already: under its own name, or as what it became by an earlier attempt, whoever asked for that. */
export async function findLanded(
  at: AtQueue,
  { queue, entry }: OfEntry,
  { head, isNamed, on }: { readonly head: string; readonly isNamed: boolean; readonly on: string },
): Promise<string | null> {
  const { repository } = at.workplace;
  const mark = readLanded(at.deps.home.stateDir(entry.repoKey, entry.runId));
  const known = mark !== null && mark.head === head && isSame(mark.base, queue) ? [mark.commit] : [];
  for (const commit of [...known, ...(isNamed ? [head] : [])])
    if ((await readAncestry(repository, commit, on)) === 'ancestor') return commit;
  return null;
}

function isSame(one: QueueRef, other: QueueRef): boolean {
  return one.repoKey === other.repoKey && one.branch === other.branch;
}

export function exhausted(reason: Exclude<Exhausted, 'conflict'>, why: string): Landed {
  return { kind: 'exhausted', reason, why };
}

/** What the run's answer says of its change. */
export async function readSource(
  { readAnswer, hostId }: LandingDeps,
  { run }: AtQueue,
  { entry }: Pick<OfEntry, 'entry'>,
): Promise<Source | Landed> {
  const { record } = run;
  const answer = await readAnswer(record.workflowId);
  if (answer.kind === 'open') return exhausted('refused', `the run ${entry.runId} is not closed`);
  if (answer.kind === 'none') {
    const kept = await readKept(record);
    return kept !== null && entry.head !== null
      ? { head: kept, evidence: [] }
      : exhausted('refused', `the run ${entry.runId} ended without an answer`);
  }
  const { source } = answer.result;
  if (source === null) return exhausted('nothing_left', `the run ${entry.runId} changed nothing`);
  if (source.host !== hostId || source.repoKey !== entry.repoKey)
    return exhausted('refused', `the change of ${entry.runId} lies in another repository`);
  const { head, evidence: own, base } = source;
  return { head, evidence: own !== null && GREEN.includes(own.outcome) ? [{ ...own, on: base.sha }] : [] };
}

export async function merge(
  at: AtQueue,
  input: OfEntry & Pick<LandEntryInput, 'chain'>,
  { source, on }: { readonly source: Source; readonly on: string },
): Promise<Planned | Landed> {
  const { record } = at.run;
  const { queue, entry, chain } = input;
  const git = await queueGitOf(at);
  const head =
    entry.head === null
      ? await headToLand(git, record, source.head)
      : await namedToLand(at, { named: entry.head, head: source.head, on });
  if (typeof head !== 'string') return head;
  const message = landingMessage(record, { ...landingOf(record), base: queue.branch, entry: entry.id });
  const isMade = head !== source.head && head !== entry.head;
  const candidate = await candidateOf(at, entry, { ours: on, theirs: head, isMade, message });
  const { baseSha } = record;
  if (candidate === null)
    return exhausted(
      'base_rewritten',
      `${queue.branch} does not contain ${baseSha.slice(0, 12)}, which the run is made on: what was taken back there would come back`,
    );
  switch (candidate.kind) {
    case 'made':
      return { commit: candidate.commit, tree: candidate.tree, on, head, message, how: candidate.how };
    case 'present':
      // The base has it, or another entry of the chain.
      return chain === null ? { kind: 'merged', commit: head } : { kind: 'ready', commit: on, on };
    case 'nothing':
      return exhausted('nothing_left', `${queue.branch} has all of this change already`);
    case 'conflict':
      return { kind: 'conflict', on, why: candidate.why, files: candidate.files };
    case 'unrelated':
      return exhausted('refused', `the change and ${queue.branch} have no commit in common`);
    case 'refused':
      return exhausted('refused', candidate.why);
  }
}

export interface SeenThere {
  readonly head: string;
  /** What was merged of it; null: nothing was, or its own head. */
  readonly made: string | null;
  /** The head of the pull request, or what the base has of it. */
  readonly there: string;
}

/** Whether what is there holds the change of the run: somebody may have put another head in its place, and a person may have agreed to that. */
export async function isOfRun(at: AtQueue, { entry }: Pick<OfEntry, 'entry'>, { head, made, there }: SeenThere) {
  const { repository } = at.workplace;
  const isNamed = made === null || made === entry.head;
  const shown = isNamed ? await headToLand(await queueGitOf(at), at.run.record, head) : made;
  for (const one of [head, shown]) if ((await readAncestry(repository, one, there)) === 'ancestor') return true;
  return false;
}

/** Null: the base has not what the run was made on. */
async function candidateOf(
  at: AtQueue,
  { anyway }: Pick<HeadOfEntry, 'anyway'>,
  sides: Pick<CandidateRequest, 'ours' | 'theirs' | 'isMade' | 'message'>,
): Promise<Candidate | null> {
  const { record } = at.run;
  const git = await queueGitOf(at);
  const make = (madeOn: string | null) =>
    makeCandidate(git, {
      ...sides,
      madeOn,
      method: landingOf(record).method,
      identity: git.identity,
      // Of the activity, not of the attempt.
      claimedAt: new Date(Context.current().info.scheduledTimestampMs).toISOString(),
    });
  const { baseSha } = record;
  const [ancestry, candidate] = await Promise.all([
    anyway ? 'ancestor' : readAncestry(at.workplace.repository, baseSha, sides.ours),
    make(null),
  ]);
  if (ancestry === 'ancestor') return candidate;
  return (await isMadeAnew(git, { link: baseSha, on: sides.ours })) ? make(baseSha) : null;
}

/** What a person mended on the branch of the run, while it stands there, or pushed to the forge, as it is there. */
async function namedToLand(
  at: AtQueue,
  { named, head, on }: Readonly<Record<'named' | 'head' | 'on', string>>,
): Promise<string | Landed> {
  const { record } = at.run;
  const git = await queueGitOf(at);
  const base = await commonWith(git, on, named);
  if (base === null)
    return exhausted('refused', `${named.slice(0, 12)} is no commit here that has anything in common with the base`);
  if ((await readRef(at.workplace.repository.commonDir, pushedRefOf(record.runId))) === named) return named;
  if (named !== head && (await findMended(record, { head, base })) !== named)
    return exhausted(
      'refused',
      `${named.slice(0, 12)} is not what stands on ${record.branch}, made of its head and the base`,
    );
  return mendedToLand(git, record, { named, head, base });
}

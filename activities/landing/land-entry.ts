/**
 * Takes one head to the base of its queue: is it there already, what do both come to, is that checked, and then one swap of the base, or, while the base is in use, one
 * more link of the chain. What lands is the head of the run's own answer, which the server tells, never what a file or a branch says.
 * Idempotency: the candidate of a place is the same commit however often it is made, it is noted before the base moves, and what the base contains is read back from git.
 */
import { Context } from '@temporalio/activity';
import { endingWith } from '../../config/system/ending-signal.js';
import type {
  BaseLook,
  Exhausted,
  LandEntryInput,
  LandEntryResult,
  Landed,
  TreeEvidence,
} from '../../protocol/actors/merge-queue.js';
import type { RunSource } from '../../protocol/messages/messages.js';
import { hashChecks } from '../checks/hash-checks.js';
import { makeCandidate } from '../git/merge/make-candidate.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { moveRefs } from '../git/refs/run-branch.js';
import { atPlace } from '../unit/at-place.js';
import { noteLanded, readLanded } from '../unit/landed-mark.js';
import { type BaseChecks, findBaseChecks } from './base-checks.js';
import { lookAtBase, moveBase, standsBehind } from './base-look.js';
import { landingOf } from './find-base.js';
import { findMended, readKept } from './find-head.js';
import { landingMessage } from './landing-message.js';
import { headToLand, makeAnew } from './plan-repair.js';
import { type AtQueue, findQueuePlace, type LandingDeps, nextRefOf, queueGitOf, tipRefOf } from './queue-place.js';

/** A merge that is about to be made true. */
interface Planned {
  readonly commit: string;
  readonly tree: string;
  readonly on: string;
}

/** `head`: of the run's answer, or what is kept of a run without one. */
interface Source extends Pick<RunSource, 'head'> {
  /** Of green checks of its own. */
  readonly evidence: readonly TreeEvidence[];
}

/** Green checks of a tree say less about a host the older they are. Source: docs/guarantees.md. */
const EVIDENCE_MS = 24 * 3_600_000;

const GREEN: readonly string[] = ['passed', 'no_commands'];

export function createLandEntry(deps: LandingDeps): (input: LandEntryInput) => Promise<LandEntryResult> {
  return (input) =>
    atPlace<LandEntryResult, AtQueue['workplace']>(deps, {
      name: 'land',
      input,
      find: () => findQueuePlace(deps, { ...input, runId: input.entry.runId }),
      isSealed: false,
      work: (at) => endingWith(at.signals.cancel, () => landEntry(deps, at, input)),
    });
}

async function landEntry(deps: LandingDeps, at: AtQueue, input: LandEntryInput): Promise<LandEntryResult> {
  deps.failpoint('land.after-claim');
  const { chain, queue } = input;
  const about = { repository: at.workplace.repository, queue, chain };
  const [base, source] = await Promise.all([lookAtBase(about), readSource(deps, at, input)]);
  // The queue is held until there is one.
  if (base === null) return { base, landed: { kind: 'moved' } };
  if (!('head' in source)) return { base, landed: source };
  const landed = await findLanded(at, input, { head: source.head, on: base });
  if (landed !== null) return { base, landed: { kind: 'merged', commit: landed } };
  if (chain !== null && !standsBehind(base, chain)) return { base, landed: { kind: 'moved' } };
  const on = chain?.commits.at(-1) ?? base.at;
  const made = await merge(at, input, { source, on });
  if (!('tree' in made)) return { base, landed: made };
  const checks = await findBaseChecks(at, { branch: queue.branch, on });
  if (checks.kind === 'held') return { base, landed: checks };
  if (!isChecked(deps, checks, { known: input.evidence, planned: made, source })) {
    await keepNext(at, input, made.commit);
    return { base, landed: { kind: 'check', commit: made.commit, on } };
  }
  const { repoKey, branch } = queue;
  noteLanded(
    deps.home.stateDir(repoKey, input.entry.runId),
    { head: source.head, branch, commit: made.commit },
    deps.durability,
  );
  return publish(at, input, { planned: made, base });
}

/** It is there already: under its own name, or as what it became by an earlier attempt, whoever asked for that. */
async function findLanded(
  at: AtQueue,
  { queue, entry, chain }: LandEntryInput,
  { head, on }: { head: string; on: BaseLook },
) {
  const { repository } = at.workplace;
  // Merged as it is onto the base itself, it is found there by that.
  const named = chain === null && at.run.record.input.rewind?.onto === undefined ? [] : [head];
  const mark = readLanded(at.deps.home.stateDir(queue.repoKey, entry.runId));
  const known = mark !== null && mark.head === head && mark.branch === queue.branch ? [mark.commit] : [];
  for (const commit of [...known, ...named])
    if ((await readAncestry(repository, commit, on.at)) === 'ancestor') return commit;
  return null;
}

function exhausted(reason: Exclude<Exhausted, 'conflict'>, why: string): Landed {
  return { kind: 'exhausted', reason, why };
}

/** What the run's answer says of its change. */
async function readSource(
  { readAnswer, hostId }: LandingDeps,
  { run }: AtQueue,
  { entry, queue }: LandEntryInput,
): Promise<Source | Landed> {
  const { record } = run;
  const answer = await readAnswer(record.workflowId);
  if (answer.kind === 'open') return exhausted('refused', `the run ${entry.runId} is not closed`);
  if (answer.kind === 'none') {
    const kept = await readKept(record);
    return kept !== null && kept === entry.head
      ? { head: kept, evidence: [] }
      : exhausted('refused', `the run ${entry.runId} ended without an answer`);
  }
  const { source } = answer.result;
  if (source === null) return exhausted('nothing_left', `the run ${entry.runId} changed nothing`);
  if (source.host !== hostId || source.repoKey !== queue.repoKey)
    return exhausted('refused', `the change of ${entry.runId} lies in another repository`);
  const { head, evidence: own, base } = source;
  return { head, evidence: own !== null && GREEN.includes(own.outcome) ? [{ ...own, on: base.sha }] : [] };
}

async function merge(
  at: AtQueue,
  input: LandEntryInput,
  { source, on }: { readonly source: Source; readonly on: string },
): Promise<Planned | Landed> {
  const { run, workplace } = at;
  const { queue, entry, chain } = input;
  const { repository } = workplace;
  const git = await queueGitOf(at);
  const { baseSha } = run.record;
  const own = await headToLand(git, run.record, source.head);
  const head = entry.head === null ? own : await mendedToLand(at, { named: entry.head, source, own, on });
  if (typeof head !== 'string') return head;
  if (!entry.anyway && (await readAncestry(repository, baseSha, on)) !== 'ancestor')
    return exhausted(
      'base_rewritten',
      `${queue.branch} does not contain ${baseSha.slice(0, 12)}, which the run is made on: what was taken back there would come back`,
    );
  const { record } = run;
  const { method } = landingOf(record);
  const candidate = await makeCandidate(git, {
    ...{ ours: on, theirs: head, madeOn: null },
    ...{ method, isMade: head !== source.head && head !== entry.head },
    message: landingMessage(record, { ...landingOf(record), base: queue.branch, entry: input.entry.id }),
    // Of the activity, not of the attempt.
    claimedAt: new Date(Context.current().info.scheduledTimestampMs).toISOString(),
    identity: git.identity,
  });
  switch (candidate.kind) {
    case 'made':
      return { commit: candidate.commit, tree: candidate.tree, on };
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

/** What a person mended on the branch of the run, while it stands there. Of a head that is made anew, so is that. */
async function mendedToLand(
  at: AtQueue,
  {
    named,
    source,
    own,
    on,
  }: { readonly named: string; readonly source: Source; readonly own: string; readonly on: string },
): Promise<string | Landed> {
  const { record } = at.run;
  if (named === source.head) return own;
  const git = await queueGitOf(at);
  const base = (await git.run(['merge-base', '--end-of-options', on, named])).trim();
  if ((await findMended(record, { head: source.head, base })) !== named)
    return exhausted(
      'refused',
      `${named.slice(0, 12)} is not what stands on ${record.branch}, made of its head and the base`,
    );
  return own === source.head ? named : makeAnew(git, record, { head: named, parents: [base, own] });
}

interface ToBeChecked {
  /** Of the queue. */
  readonly known: readonly TreeEvidence[];
  readonly planned: Planned;
  readonly source: Source;
}

/** By checks of this very tree, of the run itself or of the queue; where there are none, nothing is left to know. */
function isChecked(
  { hostId }: LandingDeps,
  { workplace, evidence }: BaseChecks,
  { known, planned, source }: ToBeChecked,
): boolean {
  const set = workplace.policy.checks.landing;
  if (set.commands.length === 0) return true;
  const checks = hashChecks(set, { hostId, workplace });
  const now = Date.now();
  return [...known, ...source.evidence].some(
    ({ tree, checks: ran, on, at }) =>
      tree === planned.tree &&
      ran === checks &&
      now - Date.parse(at) < EVIDENCE_MS &&
      (evidence === 'tree' || on === planned.on),
  );
}

/** Until it is a link or on the base nothing else names it. */
async function keepNext({ workplace }: AtQueue, { queue }: LandEntryInput, commit: string): Promise<void> {
  await moveRefs(workplace.repository, [{ ref: nextRefOf(queue), to: commit }], { identity: null });
}

async function publish(
  at: AtQueue,
  { queue, chain }: LandEntryInput,
  { planned, base }: { readonly planned: Planned; readonly base: BaseLook },
): Promise<LandEntryResult> {
  const { deps, workplace } = at;
  const { commit, on } = planned;
  const about = { repository: workplace.repository, queue, chain };
  deps.failpoint('land.after-candidate');
  const { identity } = await queueGitOf(at);
  if (base.use === null) {
    const swap = await moveBase(about, { from: base.at, to: commit, identity, failpoint: deps.failpoint });
    if (swap.outcome === 'swapped') return { base: swap.base, landed: { kind: 'merged', commit } };
    if (swap.outcome === 'moved') return { base: swap.base, landed: { kind: 'moved' } };
  }
  await moveRefs(workplace.repository, [{ ref: tipRefOf(queue), to: commit }], { identity });
  return { base: await lookAtBase(about), landed: { kind: 'ready', commit, on } };
}

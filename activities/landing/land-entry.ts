/**
 * Takes one head to the base of its queue: is it there already, what do both come to, is that checked, and then one swap of the base, or, while the base is in use, one
 * more link of the chain.
 * Idempotency: the candidate of a place is the same commit however often it is made, it is noted before the base moves, and what the base contains is read back from git.
 */
import { endingWith } from '../../config/system/ending-signal.js';
import type { LandEntryInput, LandEntryResult, Landed, TreeEvidence } from '../../protocol/actors/merge-queue.js';
import { hashChecks } from '../checks/hash-checks.js';
import { moveRefs } from '../git/refs/run-branch.js';
import { atPlace } from '../unit/at-place.js';
import { noteLanded } from '../unit/landed-mark.js';
import { type BaseChecks, findBaseChecks } from './base-checks.js';
import { type BaseStand, findBaseStand, moveBase, standsBehind, withUse } from './base-look.js';
import { findLanded, merge, type Planned, readSource, type Source } from './merge-head.js';
import { type AtQueue, findQueuePlace, type LandingDeps, nextRefOf, queueGitOf, tipRefOf } from './queue-place.js';

/** Green checks of a tree say less about a host the older they are. Source: docs/guarantees.md. */
const EVIDENCE_MS = 24 * 3_600_000;

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
  const [base, source] = await Promise.all([findBaseStand(about), readSource(deps, at, input)]);
  // The queue is held until there is one.
  if (base === null) return { base, landed: { kind: 'moved' } };
  const landed = 'head' in source ? await plan(at, input, { deps, base, source }) : source;
  return 'tree' in landed
    ? publish(at, input, { planned: landed, base })
    : { base: await withUse(about, base), landed };
}

/** What is to be made true, or why nothing is. */
async function plan(
  at: AtQueue,
  input: LandEntryInput,
  { deps, base, source }: { readonly deps: LandingDeps; readonly base: BaseStand; readonly source: Source },
): Promise<Planned | Landed> {
  const { chain, queue } = input;
  // Merged as it is onto the base itself, it is found there by that.
  const isPlain = chain === null && at.run.record.input.rewind?.onto === undefined;
  const landed = await findLanded(at, input, { head: source.head, isNamed: !isPlain, on: base.at });
  if (landed !== null) return { kind: 'merged', commit: landed };
  if (chain !== null && !standsBehind(base, chain)) return { kind: 'moved' };
  const on = chain?.commits.at(-1) ?? base.at;
  const made = await merge(at, input, { source, on });
  if (!('tree' in made)) return made;
  const checks = await findBaseChecks(at, { branch: queue.branch, on });
  if (checks.kind === 'held') return checks;
  if (!isChecked(deps, checks, { known: input.evidence, planned: made, source })) {
    await keepNext(at, input, made.commit);
    return { kind: 'check', commit: made.commit, on };
  }
  const { repoKey, branch } = queue;
  noteLanded(
    deps.home.stateDir(repoKey, input.entry.runId),
    { head: source.head, branch, commit: made.commit },
    deps.durability,
  );
  return made;
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
  { planned, base }: { readonly planned: Planned; readonly base: BaseStand },
): Promise<LandEntryResult> {
  const { deps, workplace } = at;
  const { commit, on } = planned;
  const about = { repository: workplace.repository, queue, chain };
  deps.failpoint('land.after-candidate');
  const { identity } = await queueGitOf(at);
  const swap = await moveBase(about, { from: base.at, to: commit, identity, failpoint: deps.failpoint });
  if (swap.outcome === 'swapped') return { base: swap.base, landed: { kind: 'merged', commit } };
  if (swap.outcome === 'moved') return { base: swap.base, landed: { kind: 'moved' } };
  await moveRefs(workplace.repository, [{ ref: tipRefOf(queue), to: commit }], { identity });
  return { base: swap.base, landed: { kind: 'ready', commit, on } };
}

/**
 * Takes one head to the base of its queue: is it there already, what do both come to, is that checked, and then one swap of the base, or, while the base is in use, one
 * more link of the chain.
 * Idempotency: the candidate of a place is the same commit however often it is made, it is noted before the base moves, and what the base contains is read back from git.
 */
import { endingWith } from '../../config/system/ending-signal.js';
import {
  isForgeQueue,
  type LandEntryInput,
  type LandEntryResult,
  type Landed,
  nextRefOf,
  type TreeEvidence,
  tipRefOf,
} from '../../protocol/actors/merge-queue.js';
import { hashChecks } from '../checks/hash-checks.js';
import type { PrivateGitDir } from '../git/inspect/private-git-dir.js';
import { moveRefs } from '../git/refs/run-branch.js';
import { atPlace } from '../unit/at-place.js';
import { type LandedMark, noteLanded, readLanded } from '../unit/landed-mark.js';
import { type BaseChecks, findBaseChecks } from './base-checks.js';
import {
  type BaseAt,
  type BaseStand,
  findBaseStand,
  isOpenBase,
  moveBase,
  standAt,
  standsBehind,
  withUse,
} from './base-look.js';
import { type BaseAnswer, type BaseDeps, type BaseSite, openBaseSite } from './base-site.js';
import { findLanded, isOfRun, merge, type Planned, readSource, type Source } from './merge-head.js';
import { type AtQueue, findQueuePlace, type LandingDeps, queueGitOf } from './queue-place.js';
import { tellingTrouble } from './queue-trouble.js';

/** Green checks of a tree say less about a host the older they are. Source: docs/guarantees.md. */
const EVIDENCE_MS = 24 * 3_600_000;

export function createLandEntry(deps: BaseDeps): (input: LandEntryInput) => Promise<LandEntryResult> {
  return (input) =>
    atPlace<LandEntryResult, AtQueue['workplace']>(deps, {
      name: 'land',
      input,
      find: () => findQueuePlace(deps, { ...input, ...input.entry }),
      isSealed: false,
      work: (at) => tellingTrouble(() => endingWith(at.signals.cancel, () => landEntry(deps, at, input))),
    });
}

async function landEntry(deps: BaseDeps, at: AtQueue, input: LandEntryInput): Promise<LandEntryResult> {
  deps.failpoint('land.after-claim');
  const { chain, queue } = input;
  const site = openBaseSite(deps, at, input);
  const about = { site, repository: at.workplace.repository, queue, chain };
  const [base, source] = await Promise.all([findBaseStand(about), readSource(deps, at, input)]);
  // The queue is held until there is one.
  if (!isOpenBase(base)) return { base, landed: { kind: 'moved', isUnseen: true } };
  if (!('head' in source)) return { base: await withUse(about, base), landed: source };
  const planned = await plan(at, input, { deps, site, base, source });
  const { head, ...result } = await ('tree' in planned
    ? publish(at, about, { planned, base })
    : answer(about, planned, base));
  const there = { landed: result.landed, head, planned, source, before: base.at };
  return { ...result, landed: await noteOnForge(at, input, there) };
}

type Answered = LandEntryResult & Pick<BaseAnswer, 'head'>;

interface Planning {
  readonly deps: BaseDeps;
  readonly site: BaseSite;
  readonly base: BaseStand;
  readonly source: Source;
}

/** What is to be made true, or why nothing is. */
async function plan(
  at: AtQueue,
  input: LandEntryInput,
  { deps, site, base, source }: Planning,
): Promise<Planned | Landed | BaseAnswer> {
  const { chain, queue } = input;
  // Merged as it is onto the base itself, it is found there by that.
  const isPlain = chain === null && at.run.record.input.rewind?.onto === undefined;
  const landed = await findLanded(at, input, { head: source.head, isNamed: !isPlain, on: base.at });
  if (landed !== null) return { kind: 'merged', commit: landed };
  if (chain !== null && !standsBehind(base, chain)) return { kind: 'moved' };
  const on = chain?.commits.at(-1) ?? base.at;
  const made = await merge(at, input, { source, on });
  const answered = await site.consult(made);
  if (answered !== null) return answered;
  if (!('tree' in made)) return made;
  const checks = await findBaseChecks(at, { branch: queue.branch, on });
  if (checks.kind === 'held') return checks;
  if (!isChecked(deps, checks, { known: input.evidence, planned: made, source })) {
    await keepNext(at, input, made.commit);
    return { kind: 'check', commit: made.commit, on };
  }
  if (!site.makesItsOwn()) note(at, input, { head: source.head, commit: made.commit, isGreen: true });
  return made;
}

function note({ deps }: AtQueue, { queue, entry }: LandEntryInput, mark: Omit<LandedMark, 'base'>): void {
  noteLanded(deps.home.stateDir(entry.repoKey, entry.runId), { ...mark, base: queue }, deps.durability);
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
  about: BaseAt,
  { planned, base }: { readonly planned: Planned; readonly base: BaseStand },
): Promise<Answered> {
  const { failpoint } = at.deps;
  const { commit, on } = planned;
  failpoint('land.after-candidate');
  const moved = await moveBase(about, { from: base.at, to: commit, on, failpoint });
  if (moved.landed.kind !== 'ready') return moved;
  const { identity } = await queueGitOf(at);
  await moveRefs(about.repository, [{ ref: tipRefOf(about.queue), to: commit }], { identity });
  return moved;
}

async function answer(about: BaseAt, said: Landed | BaseAnswer, base: BaseStand): Promise<Answered> {
  if (!('landed' in said)) return { base: await withUse(about, base), landed: said };
  return { ...said, base: await withUse(about, await standAt(about, said.base)) };
}

interface LandedThere extends Pick<BaseAnswer, 'landed'> {
  readonly head: BaseAnswer['head'] | undefined;
  readonly planned: Planned | Landed | BaseAnswer;
  readonly source: Source;
  /** Where the base stood when it was looked at. */
  readonly before: string;
}

/** What the forge made may be another tree than the checked one, which is checked then. */
async function noteOnForge(
  at: AtQueue,
  input: LandEntryInput,
  { landed, head, planned, source, before }: LandedThere,
): Promise<Landed> {
  if (landed.kind !== 'merged' || !isForgeQueue(input.queue)) return landed;
  const { commit } = landed;
  const { entry, evidence } = input;
  const known = readLanded(at.deps.home.stateDir(entry.repoKey, entry.runId));
  const git = await queueGitOf(at);
  const [tree = '', ...parents] = await namesOf(git, [`${commit}^{tree}`, `${commit}^@`]);
  const green = [...evidence, ...source.evidence, ...('tree' in planned ? [planned] : [])].map((one) => one.tree);
  // By a repeat nothing is planned, and what was noted before it landed was checked.
  const isGreen = (known?.commit === commit && known.isGreen === true) || green.includes(tree);
  // It could not be fetched yet, and whoever does not know what it is does not know that it is green.
  if (tree === '' && !isGreen) return { kind: 'moved' };
  const made = 'tree' in planned ? planned.head : null;
  const seen = { head: source.head, made, there: head ?? made ?? commit };
  const isNoted = known?.commit === commit && known.isThere === true;
  if (isNoted || (await isOfRun(at, input, seen)))
    note(at, input, { head: source.head, commit, isThere: true, isGreen });
  const on = isGreen ? undefined : await findBaseOf(git, { commit, parents, before, head: seen.there });
  return on === undefined ? landed : { ...landed, uncheckedOn: on };
}

/** Without the change. Of a rebase, which keeps who wrote a commit and when, the parent is the one before it of its own commits. */
async function findBaseOf(
  git: PrivateGitDir,
  {
    commit,
    parents,
    before,
    head,
  }: Readonly<Record<'commit' | 'before' | 'head', string>> & {
    readonly parents: readonly string[];
  },
): Promise<string | undefined> {
  const authored = async (one: string): Promise<string | null> => {
    const said = await git.try(['log', '-1', '--no-show-signature', '--format=%an%n%ae%n%at%n%s', one]);
    return said.exitCode === 0 ? said.stdout : null;
  };
  // A head that somebody put in the place of ours may not be here.
  const shown = parents.length === 1 ? await authored(head) : null;
  if (shown === null || (await authored(commit)) !== shown) return parents[0];
  const count = (await git.run(['rev-list', '--count', '--no-merges', `${before}..${head}`])).trim();
  const [on] = count === '0' ? [] : await namesOf(git, [`${commit}~${count}`]);
  return on ?? parents[0];
}

/** Empty where one of them is not there. */
async function namesOf(git: PrivateGitDir, revisions: readonly string[]): Promise<readonly string[]> {
  const asked = await git.try(['rev-parse', ...revisions]);
  return asked.exitCode === 0 ? asked.stdout.trim().split('\n') : [];
}

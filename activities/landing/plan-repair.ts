/**
 * Finds where a run may begin that repairs a head, and what it is told.
 * Effects: objects in the repository that no ref names until the run has its branch. Idempotency: the same head and base make the same commit. Cancel: what was begun is finished.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { cutMiddle } from '../../config/system/cut-middle.js';
import type { PlanRepairInput, PlanRepairResult } from '../../protocol/actors/landing.js';
import { baseRefOf, isForgeQueue, type QueueRef } from '../../protocol/actors/merge-queue.js';
import { MAX_FINDINGS } from '../../protocol/limits.js';
import type { RewindInput } from '../../protocol/messages/messages.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { pushedRefOf } from '../../protocol/names.js';
import type { Finding } from '../../protocol/run/finding.js';
import { roundStart } from '../../protocol/run/next-stage.js';
import type { PrivateGitDir } from '../git/inspect/private-git-dir.js';
import { findLandingBase } from '../git/merge/find-landing-base.js';
import { openQueueGit } from '../git/merge/open-queue-git.js';
import { commitAnew, makeRepairStart, remakeHead } from '../git/merge/repair-commits.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { isSha, readRef } from '../git/refs/read-ref.js';
import { decodeBytes } from '../git/start/byte-path.js';
import type { Repository } from '../git/start/contract.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { attend } from '../unit/attend.js';
import { findTip } from '../unit/chain-tip.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { RunOnHost, RunRecord } from '../unit/run-record.js';
import { readRunOfQueue } from './queue-place.js';

export function createPlanRepair(deps: HostDeps): (input: PlanRepairInput) => Promise<PlanRepairResult> {
  return (input) => attend(deps, randomUUID(), () => planRepair(deps, readRunOfQueue(deps.home, input), input));
}

/** The git of landings of one run, on the objects of its repository. */
export function openLandingGit({ record, stateDir }: RunOnHost): Promise<PrivateGitDir> {
  return openQueueGit({ repository: record.repository, folder: join(stateDir, 'landing') });
}

/** What would land of a head that this run made. */
export function headToLand(git: PrivateGitDir, record: RunRecord, head: string): Promise<string> {
  const start = record.input.rewind?.onto?.start ?? null;
  return remakeHead(git, { head, start, ...saidOf(record) });
}

/** Where `named` meets the base that stands at `on`. Null: nowhere, or it is no commit here; anybody may name any. */
export async function commonWith(git: PrivateGitDir, on: string, named: string): Promise<string | null> {
  const common = isSha(named) ? await git.try(['merge-base', '--end-of-options', on, named]) : null;
  return common?.exitCode === 0 ? common.stdout.trim() : null;
}

/**
 * What lands of `named`, which a person mended of the run's `head` and of `base`. Of a head that is made anew, so is that: made of the same, so that none of its own history reaches the base.
 */
export async function mendedToLand(
  git: PrivateGitDir,
  record: RunRecord,
  { named, head, base }: Readonly<Record<'named' | 'head' | 'base', string>>,
): Promise<string> {
  const own = await headToLand(git, record, head);
  if (named === head) return own;
  if (own === head) return named;
  const pushed = await readRef(record.repository.commonDir, pushedRefOf(record.runId));
  // What somebody pushed onto it there is in whatever takes its place.
  const isPushed = pushed !== null && (await readAncestry(record.repository, pushed, named)) === 'ancestor';
  return commitAnew(git, { head: named, parents: [base, isPushed ? pushed : own], ...saidOf(record) });
}

function saidOf({ branch, input, startedAt: at }: RunRecord) {
  return { message: `Merge ${branch}\n\n${titleOf(input)}\n`, at };
}

async function planRepair(deps: HostDeps, run: RunOnHost, input: PlanRepairInput): Promise<PlanRepairResult> {
  try {
    return await plan(deps, run, input);
  } catch (error) {
    const why = lastingTrouble(error);
    if (why === null) throw error;
    return { kind: 'refused', why };
  }
}

async function plan(
  deps: HostDeps,
  run: RunOnHost,
  { runId, head, queue, kind, isConflict, why, findings, by }: PlanRepairInput,
): Promise<PlanRepairResult> {
  const { record } = run;
  const { stages } = record.policy;
  const planned = (rewind: Omit<RewindInput, 'runId'>): PlanRepairResult => ({
    kind: 'planned',
    rewind: { runId, ...rewind },
  });
  const stage = kind === 'recreate' ? stages[0] : roundStart(stages);
  if (stage === null || stage === undefined)
    return { kind: 'refused', why: `the run ${runId} has no stage in which anything is fixed` };
  const git = await openLandingGit(run);
  const theirs = await headToLand(git, record, head);
  if (kind === 'changes') {
    // What a run without a base of its own left is gone on with as it is.
    const onto = record.input.rewind?.onto === undefined ? {} : { onto: { base: record.baseSha, start: theirs } };
    const asked = () => findingOf('P-1', { claim: why, evidence: `asked for by ${by ?? 'somebody'}` });
    return planned({ stage, ...onto, findings: findings.length === 0 ? [asked()] : findings });
  }
  const { branch } = queue;
  const base = await tipOf(deps, record.repository, queue);
  if (base === null) return { kind: 'refused', why: `the branch ${branch} is gone` };
  if (kind === 'recreate') return planned({ stage, onto: { base, start: base } });
  const start = await makeRepairStart(git, { ours: base, theirs }, record.startedAt);
  if (start.kind === 'unrelated') return { kind: 'refused', why: `the change and ${branch} have no commit in common` };
  if (isConflict && start.conflicted.length === 0) return { kind: 'unneeded' };
  return planned({ stage, onto: { base, start: start.commit }, findings: findingsOf(start.conflicted, branch, why) });
}

/** Where the next head would be merged: the end of the chain, or the base. */
async function tipOf(deps: HostDeps, repository: Repository, queue: QueueRef): Promise<string | null> {
  if (isForgeQueue(queue)) return readRef(repository.commonDir, baseRefOf(queue));
  const base = await findLandingBase(repository, queue.branch);
  if (base.kind === 'refused') return null;
  return (await findTip(deps, { repository, queue, at: base.sha })).tip;
}

/** Unit: bytes of a name; a run id takes less. */
const MAX_NAME_BYTES = 300;

function findingsOf(conflicted: readonly string[], branch: string, why: string): readonly Finding[] {
  if (conflicted.length === 0)
    return [
      findingOf('M-1', {
        claim: `The checks are red once the change is merged with ${branch}: ${why}`,
        evidence: 'the worktree holds the merge',
      }),
    ];
  return conflicted.slice(0, MAX_FINDINGS).map((path, index) => {
    const name = cutMiddle(decodeBytes(path), MAX_NAME_BYTES);
    return findingOf(`M-${index + 1}`, {
      claim: `${name} is in conflict with ${branch}: the worktree holds both sides between markers. Keep what each side means, leave no marker, and change no other file.`,
      evidence: `${name}, between <<<<<<< and >>>>>>>: first ${branch}, then this change`,
    });
  });
}

function findingOf(id: string, { claim, evidence }: { readonly claim: string; readonly evidence: string }): Finding {
  return { id, severity: 'high', category: 'correctness', claim, evidence: [evidence], recommendation: claim };
}

/**
 * Plans the commit of a write turn, and once more where somebody pruned what no ref held yet (`git gc --prune=now` at that very moment): the files
 * are still in the worktree, and the same files give the same commit.
 */

import { type CheckedChange, checkChange } from '../checks/check-change.js';
import { checkDiff } from '../git/inspect/diff-check.js';
import type { CommitRequest, PlannedCommit, PublishOutcome } from '../git/start/contract.js';
import { isHostTrouble, isRepositoryBusy } from '../git/start/repository-busy.js';
import { GitError } from '../git/start/run-git.js';
import { findStep, subjectOf, trailersOf } from '../steps/step-at-work.js';
import { redactorOf } from '../unit/run-redactor.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';

export interface PlannedChange {
  readonly planned: PlannedCommit;
  readonly checked: CheckedChange;
}

/** A loop of prunes may hit the second time too; what an agent broke stays broken. */
const MAX_TRIES = 3;

/** Null: there is no change. `claimedAt`: of the agent's start, ISO. */
export async function planChange(context: TurnOnHost, claimedAt: string): Promise<PlannedChange | null> {
  const { git, input } = context;
  for (let tries = 1; ; tries += 1) {
    try {
      const kept = await git.plan(requestOf(context, claimedAt));
      // What a later commit took out again would stay in the history.
      const mayStay = kept === null || (await passesEach(context, kept));
      const planned = mayStay ? kept : await git.plan(requestOf(context, claimedAt, false));
      return planned === null ? null : { planned, checked: await checkChange(context, planned) };
    } catch (err) {
      if (tries >= MAX_TRIES || !mayBePruned(err)) throw err;
      // Whatever is staged counts as written and would not be written again.
      await git.follow(input.expectedHead);
    }
  }
}

/** Publishes the planned commit, made once more if it is gone. Errors: those of git, where the worktree gives another one by now. */
export async function publishChange(
  context: TurnOnHost,
  planned: PlannedCommit,
  claimedAt: string,
): Promise<PublishOutcome> {
  const { git, input } = context;
  for (let tries = 1; ; tries += 1) {
    try {
      return await git.publish(planned);
    } catch (err) {
      if (tries >= MAX_TRIES || !mayBePruned(err)) throw err;
      await git.follow(input.expectedHead);
      const again = await git.plan(requestOf(context, claimedAt, planned.kept.length > 0));
      if (again?.commit !== planned.commit) throw err;
    }
  }
}

/** Of a change that is one commit the check of the whole is enough. What git cannot compare is folded as well. */
async function passesEach(context: TurnOnHost, { made, commit: whole }: PlannedCommit): Promise<boolean> {
  if (made.length < 2) return true;
  const { git, input, run } = context;
  const { policy, worktree } = run.record;
  const checkOf = async (from: string, to: string) =>
    checkDiff({ worktree, diff: await git.diff(from, to), block: policy.block, guarded: policy.guardedPaths });
  try {
    const { guarded } = await checkOf(input.expectedHead, whole);
    let before = input.expectedHead;
    for (const commit of made) {
      const found = await checkOf(before, commit);
      // A person is asked about what the whole touches.
      if (found.findings.length > 0 || found.guarded.some((path) => !guarded.includes(path))) return false;
      before = commit;
    }
    return true;
  } catch (error) {
    if (isRepositoryBusy(error) || isHostTrouble(error)) throw error;
    return false;
  }
}

/** `keeps`: default, as the policy says. */
function requestOf({ deps, run, input }: TurnOnHost, claimedAt: string, keeps?: boolean): CommitRequest {
  const round = input.round === 0 ? '' : ` (round ${input.round})`;
  const body = `${input.stage}${round} of sluice run ${run.record.runId}`;
  const { title } = input.journal.view;
  const isKept = keeps ?? run.record.policy.execute.commits === 'keep';
  const made = { expectedHead: input.expectedHead, claimedAt, redactor: redactorOf(run), keeps: isKept };
  if (input.step === undefined) return { ...made, subject: title, body };
  const { step } = findStep(deps, run, input.step);
  return { ...made, subject: subjectOf(step), body: `${title}\n\n${body}`, trailers: trailersOf(run, input.step) };
}

function mayBePruned(error: unknown): boolean {
  return error instanceof GitError && !isRepositoryBusy(error) && !isHostTrouble(error);
}

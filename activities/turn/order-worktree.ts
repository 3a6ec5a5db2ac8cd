/**
 * Puts the worktree in order just before an agent starts in it, never under a live one: the run's own commit on the run's own branch, nothing else.
 * What belongs to a person is neither deleted nor overwritten: a commit or a checkout of theirs stops the turn, files of theirs are moved aside.
 */
import { basename } from 'node:path';
import type { Observation } from '../../protocol/messages/journal.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import { judgeLeft } from '../checks/own-commands.js';
import { setUpWorktree } from '../checks/set-up-worktree.js';
import { lacksSetup, noteSetupMissing } from '../checks/setup-files.js';
import { findBranchUse } from '../git/refs/run-refs.js';
import type { SetAside } from '../git/worktree/set-aside.js';
import { readMark, writePlaceMark } from '../unit/place-record.js';
import type { RunOnHost } from '../unit/run-record.js';
import { isWriteTurn, type TurnOnHost } from '../unit/turn-on-host.js';
import { isOwnLeft, wasInterrupted } from './left-changes.js';
import { moveBranchBack } from './move-branch-back.js';
import { type TurnTrouble, troubleOf } from './turn-trouble.js';

const FOUND_FILE = 'found.json';

/** A list in a sentence for people. */
const MAX_TOLD_PATHS = 5;

/** The worktree cannot be put in order: the agent is not started. */
export class WorktreeNotReady extends Error {
  override readonly name = 'WorktreeNotReady';

  constructor(
    readonly trouble: TurnTrouble,
    options?: ErrorOptions,
  ) {
    super(trouble.outcome.kind, options);
  }
}

/** Answers whether the set-up commands ran again. Errors: WorktreeNotReady; whatever passes with time. */
export async function putWorktreeInOrder(context: TurnOnHost): Promise<boolean> {
  try {
    if (isWriteTurn(context)) await refuseUsedBranch(context);
    return await restoreIfNeeded(context);
  } catch (err) {
    if (err instanceof WorktreeNotReady) throw err;
    const trouble = troubleOf(context.input, err);
    throw trouble === null ? err : new WorktreeNotReady(trouble, { cause: err });
  }
}

/** A branch is never moved under a person. Null: nobody else stands on it. */
export async function usedBranch({
  record,
}: RunOnHost): Promise<Extract<TurnOutcome, { kind: 'repository_changed' }> | null> {
  const use = await findBranchUse(record);
  if (use === null) return null;
  return {
    kind: 'repository_changed',
    why: `${record.branch} is ${use.how} in ${use.folder}, and it is not moved under anybody`,
  };
}

/** What was moved aside before this turn. */
export function foundInWorktree({ place, input }: TurnOnHost): readonly Observation[] {
  const found = readMark<string>(place, FOUND_FILE);
  if (found.kind !== 'answer') return [];
  const data = { stage: input.stage, seq: input.place.seq, gate: false };
  return [{ timestamp: new Date().toISOString(), type: 'repository.changed', message: found.value, data }];
}

async function refuseUsedBranch({ run }: TurnOnHost): Promise<void> {
  const outcome = await usedBranch(run);
  if (outcome !== null) throw new WorktreeNotReady({ outcome, observations: [] });
}

async function restoreIfNeeded(context: TurnOnHost): Promise<boolean> {
  const { deps, git, input, run } = context;
  const { expectedHead } = input;
  const isOnBranch = await moveBranchBack(context);
  const isWhole = (await git.root()).kind === 'whole';
  const isSetUp = isWhole && !lacksSetup(run.workplace);
  // Of a start that was lost, or of somebody who came after the last look.
  if (isWhole) await judgeLeft(context);
  if (isOnBranch && isSetUp && (await git.standsAt(expectedHead)) && (await git.changes()).length === 0) return false;
  if (isOnBranch && isSetUp && keepsTree(context) && (await git.standsAt(expectedHead))) return false;
  if (!wasInterrupted(run, input.place)) {
    const head = await git.head();
    if (head !== null && head !== expectedHead) throw elsewhere(context, head);
    if (isWhole) await keepFound(context, isOnBranch);
  }
  if (!isSetUp) noteSetupMissing(run.workplace, deps.durability);
  // What an interrupted start of the agent committed in this worktree goes too; only a branch that somebody else holds stops the turn.
  const restored = await git.restore(expectedHead);
  if (restored.kind === 'branch_elsewhere') throw elsewhere(context, restored.actual);
  if (!isSetUp) await setUpAgain(context);
  return !isSetUp;
}

/** What the last try of the step left is what this one goes on with. Source: S-72. */
function keepsTree({ input, run }: TurnOnHost): boolean {
  return input.step?.isRetry === true && run.record.policy.execute.keepTree;
}

function elsewhere({ input, run }: TurnOnHost, actual: string | null): WorktreeNotReady {
  const stands = `${run.record.branch} stands at ${actual?.slice(0, 12) ?? 'nothing'}`;
  const why = `${stands}, not at ${input.expectedHead.slice(0, 12)}, and not at a commit of this run`;
  const outcome = { kind: 'repository_changed', why } as const;
  return new WorktreeNotReady({ outcome, elsewhere: actual, observations: [] });
}

/** `isOnBranch`: the branch stood at the expected head; only then a person may have agreed to a commit that the worktree was made from by hand. */
async function keepFound({ git, input, run, place }: TurnOnHost, isOnBranch: boolean): Promise<void> {
  if (await isOwnLeft(run, await git.changes())) return;
  if (isOnBranch && !(await git.standsAt(input.expectedHead))) await git.follow(input.expectedHead);
  const aside = await git.setAside();
  if (aside === null) return;
  writePlaceMark(place, FOUND_FILE, toldAside(aside, `before the ${input.stage} turn`));
}

export function toldAside({ folder, paths }: SetAside, before: string): string {
  const more = paths.length > MAX_TOLD_PATHS ? ` and ${paths.length - MAX_TOLD_PATHS} more` : '';
  const what = `${paths.slice(0, MAX_TOLD_PATHS).join(', ')}${more}`;
  return `somebody changed ${what} in the worktree ${before}; it was moved to ${basename(folder)} beside the worktree`;
}

/** Copies, links and what the set-up commands made went with the folder. */
async function setUpAgain(context: TurnOnHost): Promise<void> {
  const { git, input } = context;
  const { error } = await setUpWorktree(context);
  if (error !== null) {
    const why = `the worktree was made anew, and ${error}`;
    throw new WorktreeNotReady({ outcome: { kind: 'hard', why }, observations: [] });
  }
  // What they left uncommitted is not the agent's work.
  if ((await git.changes()).length > 0) await git.restore(input.expectedHead);
}

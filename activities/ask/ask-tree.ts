/**
 * What an ask looks at: nothing, or a checkout of the commit that its task would begin at. It has one of its own, so that whoever changes it spoils no answer but its own; once it is
 * judged it is left to the next ask, for a checkout of a few hundred files takes as long as all else of an ask.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { lookAt } from '../../config/system/look-at.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import { readSnapshot, type Snapshot, takeSnapshot } from '../git/inspect/private-git-dir.js';
import { assertCommitFits } from '../git/refs/tree-size.js';
import { openValidationCheckout, type ValidationCheckout } from '../git/run/validation-checkout.js';
import { dropOwner } from '../git/worktree/owner-mark.js';
import { removeFolder } from '../git/worktree/remove-worktree.js';
import type { Workplace } from '../unit/workplace.js';
import { leaveTree, takeKeptTree } from './kept-trees.js';

/** Judging needs the task alone; a plan names places in the code. */
const LOOKS: Readonly<Record<AskName, boolean>> = { dedup: false, classify: false, plan: true };

/** Of one ask about one item. */
export interface AskedTree {
  readonly ask: AskName;
  /** The commit that is looked at. */
  readonly baseSha: string;
  /** Where those lie that are left to others. */
  readonly keptDir: string;
}

type TreePlace = Pick<Workplace, 'owner' | 'repository' | 'checkout'>;

/** `stateDir`: of the ask. Beside it lie its private git dir and what says whose it is, so that all of it moves as one. */
export function askTree(stateDir: string): string {
  return join(stateDir, 'checkout', 'tree');
}

/** Effects: the tree, as nobody has touched it. */
export async function makeTree(workplace: TreePlace, { ask, baseSha, keptDir }: AskedTree): Promise<void> {
  const { checkout, repository } = workplace;
  if (!LOOKS[ask]) {
    await removeFolder(checkout);
    makeFolder(checkout);
    return;
  }
  const [snapshot] = await Promise.all([takeSnapshot(repository), assertCommitFits(repository, baseSha)]);
  const whole = dirname(checkout);
  if (lookAt(whole) === null) takeKeptTree(keptDir, whole, snapshot);
  await (await openTree(workplace, snapshot)).moveTo(baseSha);
}

/** Tracked files that differ from the commit, or all of them. An empty folder takes what it is given: nobody reads it. */
export async function changedInTree(workplace: TreePlace, ask: AskName): Promise<readonly string[]> {
  if (!LOOKS[ask]) return [];
  // Without what it is compared with, nothing would differ.
  if (lookAt(gitDirOf(workplace.checkout)) === null) return ['all of its files'];
  return (await openTree(workplace, null)).changedTracked();
}

/** Effects: it is another's to take. Harmless when repeated. */
export async function letTreeGo(
  workplace: TreePlace,
  { ask, keptDir }: Pick<AskedTree, 'ask' | 'keptDir'>,
): Promise<void> {
  const { checkout } = workplace;
  const whole = dirname(checkout);
  if (!LOOKS[ask] || !isAsMade(whole)) return removeTree(workplace);
  const snapshot = await readSnapshot(gitDirOf(checkout));
  await dropOwner(checkout);
  await leaveTree(keptDir, whole, snapshot);
}

/** Harmless when repeated. */
export async function removeTree({ checkout }: Pick<TreePlace, 'checkout'>): Promise<void> {
  await removeFolder(dirname(checkout));
}

/** Beside the tree lies what was moved aside for it. */
function isAsMade(whole: string): boolean {
  return lookAt(whole) !== null && readdirSync(whole).length === 3;
}

function gitDirOf(checkout: string): string {
  return join(dirname(checkout), 'git');
}

function openTree(
  { owner, repository, checkout }: TreePlace,
  snapshotOf: Snapshot | null,
): Promise<ValidationCheckout> {
  return openValidationCheckout({ owner, repository, path: checkout, gitDir: gitDirOf(checkout), snapshotOf });
}

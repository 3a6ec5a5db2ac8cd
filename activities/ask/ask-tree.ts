/**
 * What an ask looks at: nothing, or a checkout of the commit that its task would begin at. It has one of its own, so that whoever changes it spoils no answer but its own; once it is
 * judged it is left to the next ask, for a checkout of a few hundred files takes as long as all else of an ask.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder } from '../../config/home/make-folder.js';
import { lookAt } from '../../config/system/look-at.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import { readSnapshot, takeSnapshot } from '../git/inspect/private-git-dir.js';
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
  const { checkout } = workplace;
  if (!LOOKS[ask]) {
    await removeFolder(checkout);
    makeFolder(checkout);
    return;
  }
  const whole = dirname(checkout);
  if (lookAt(whole) === null) takeKeptTree(keptDir, whole);
  if (lookAt(gitDirOf(checkout)) !== null) {
    if (await isInOrder(workplace, baseSha)) return;
    await removeTree(workplace);
  }
  await (await openTree(workplace)).moveTo(baseSha);
}

/** Effects: what lies there is at that commit. False: it was made by another config of the person, or is not whole. Errors: `WorktreeViolation` where it is another owner's. */
async function isInOrder(workplace: TreePlace, baseSha: string): Promise<boolean> {
  const tree = await openTree(workplace);
  const made = await readSnapshot(gitDirOf(workplace.checkout)).catch(() => null);
  if (made === null) return false;
  const isSame = async () => isDeepStrictEqual(await takeSnapshot(workplace.repository), made);
  // What is wrong with the commit a new one meets too.
  const isMoved = () =>
    tree.moveTo(baseSha).then(
      () => true,
      () => false,
    );
  // A filter is a program: one that the person has taken out since is not started.
  if (made.text.includes('[filter ')) return (await isSame()) && isMoved();
  const [same, moved] = [isSame(), isMoved()];
  // Whoever fails leaves no git at work there.
  await Promise.allSettled([same, moved]);
  return (await same) && moved;
}

/** Tracked files that differ from the commit, or all of them. An empty folder takes what it is given: nobody reads it. */
export async function changedInTree(workplace: TreePlace, ask: AskName): Promise<readonly string[]> {
  if (!LOOKS[ask]) return [];
  // Without what it is compared with, nothing would differ.
  if (lookAt(gitDirOf(workplace.checkout)) === null) return ['all of its files'];
  return (await openTree(workplace)).changedTracked();
}

/** Effects: it is another's to take. Harmless when repeated. */
export async function letTreeGo(
  workplace: TreePlace,
  { ask, keptDir }: Pick<AskedTree, 'ask' | 'keptDir'>,
): Promise<void> {
  const { checkout } = workplace;
  const whole = dirname(checkout);
  if (!LOOKS[ask] || !isAsMade(whole)) return removeTree(workplace);
  await dropOwner(checkout);
  await leaveTree(keptDir, whole);
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

function openTree({ owner, repository, checkout }: TreePlace): Promise<ValidationCheckout> {
  return openValidationCheckout({ owner, repository, path: checkout, gitDir: gitDirOf(checkout), snapshotOf: null });
}

/**
 * What an ask looks at: nothing, or a checkout of the commit that its task would begin at. It has one of its own, so that whoever changes it spoils no answer but its own, and it is
 * gone once that is read.
 */
import { join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import { openValidationCheckout, removeCheckoutGit, type ValidationCheckout } from '../git/run/validation-checkout.js';
import { dropOwner } from '../git/worktree/owner-mark.js';
import { removeFolder } from '../git/worktree/remove-worktree.js';
import type { Workplace } from '../unit/workplace.js';

/** Judging needs the task alone; a plan names places in the code. */
const LOOKS: Readonly<Record<AskName, boolean>> = { dedup: false, classify: false, plan: true };

/** Effects: the tree, as nobody has touched it. */
export async function makeTree(workplace: Workplace, { ask, baseSha }: AskedTree): Promise<void> {
  if (!LOOKS[ask]) {
    await removeFolder(workplace.checkout);
    makeFolder(workplace.checkout);
    return;
  }
  await (await openTree(workplace)).moveTo(baseSha);
}

interface AskedTree {
  readonly ask: AskName;
  readonly baseSha: string;
}

/** Tracked files that differ from the commit. An empty folder takes what it is given: nobody reads it. */
export async function changedInTree(workplace: Workplace, ask: AskName): Promise<readonly string[]> {
  return LOOKS[ask] ? (await openTree(workplace)).changedTracked() : [];
}

/** Harmless when repeated. */
export async function removeTree({ repository, checkout, stateDir }: Workplace): Promise<void> {
  await removeCheckoutGit(repository, checkout);
  await removeFolder(checkout);
  await dropOwner(checkout);
  await removeFolder(gitDirOf(stateDir));
}

function gitDirOf(stateDir: string): string {
  return join(stateDir, 'git');
}

function openTree({ owner, repository, checkout, stateDir }: Workplace): Promise<ValidationCheckout> {
  return openValidationCheckout({
    ...{ owner, repository, path: checkout },
    gitDir: gitDirOf(stateDir),
    snapshotOf: null,
  });
}

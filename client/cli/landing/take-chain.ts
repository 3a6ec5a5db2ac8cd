/**
 * Brings a person's checkout of a base to what its merge queue has ready for it, by one fast-forward of their own git. The queue keeps its chain as it is meanwhile. Git refuses, and
 * changes nothing, where a file of theirs is in the way; their other changes stay as they are.
 */
import { orAborted } from '../../../config/system/or-aborted.js';
import type { MergeQueueView } from '../../../protocol/actors/merge-queue.js';
import { checkoutOf } from '../../repository.js';
import { runPersonsGit } from '../../run-git.js';
import type { Sluice } from '../../sluice.js';
import type { Context } from '../terminal/context.js';
import { foreign, foreignBlock } from '../terminal/io.js';

export interface ReadyChain {
  /** Of the merge queue. */
  readonly workflowId: string;
  readonly branch: string;
  /** The top of any work tree of the repository. */
  readonly repo: string;
  readonly by: string;
}

/** Without `--no-squash` a `mergeOptions = --squash` of theirs moves nothing, without `--no-autostash` a `merge.autoStash` leaves conflict markers. */
const FAST_FORWARD = ['merge', '--quiet', '--ff-only', '--no-squash', '--no-autostash'] as const;

/** Answers whether the checkout has it now; what went wrong is told. */
export async function takeChain(context: Context, sluice: Sluice, chain: ReadyChain): Promise<boolean> {
  const { io, json } = context;
  const { workflowId, branch, repo, by } = chain;
  const sending = sluice.send(workflowId, { name: 'take', argument: { by } }, io.stop);
  const sent = await orAborted(sending, io.stop, () => null);
  if (sent === null) return tellNotTaken(context, branch, 'you stopped before its merge queue answered');
  if (sent.kind !== 'accepted')
    return tellNotTaken(context, branch, sent.kind === 'refused' ? sent.why : 'its merge queue did not answer');
  try {
    const view = (await sluice.mergeQueues()).find((queue) => queue.workflowId === workflowId)?.view ?? null;
    if (view === null) return tellNotTaken(context, branch, 'its merge queue did not say what is ready');
    const tip = tipOf(view);
    // The base has by now whatever was ready.
    if (tip === null) return true;
    const folder = await checkoutOf(repo, branch);
    // What keeps the base, as a rebase does, is no checkout of it: nothing is taken, so nobody waits for it.
    if (folder === null) return false;
    const { isDone, said } = await runPersonsGit([...FAST_FORWARD, tip], folder);
    if (json) io.json({ kind: 'checkout', branch, folder, commit: tip, updated: isDone, why: isDone ? null : said });
    else if (isDone) io.out(foreign(`${folder} is updated: ${branch} is at ${tip.slice(0, 12)}`));
    if (!isDone && !json) io.err(foreignBlock(notUpdated({ branch, folder, said })));
    return isDone;
  } finally {
    await sluice.send(workflowId, { name: 'look', argument: { by } }).catch(() => undefined);
  }
}

function tellNotTaken({ io }: Context, branch: string, why: string): false {
  io.err(foreign(`${branch} was not updated: ${why}`));
  return false;
}

function tipOf({ chain }: MergeQueueView): string | null {
  return chain?.links.at(-1)?.commit ?? null;
}

function notUpdated({ branch, folder, said }: { branch: string; folder: string; said: string }): string {
  return `${branch} was not updated in ${folder}: git refused, and changed nothing. It says:\n${said}\nonce that is out of the way: sluice land --update-checkout`;
}

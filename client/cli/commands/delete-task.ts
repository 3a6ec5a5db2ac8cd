/** `sluice task delete`: closes a task that does not run. What its runs left stays, unless somebody gives it up. Source: S-89. */

import { orAborted } from '../../../config/system/or-aborted.js';
import { runIdOfItem } from '../../../protocol/actors/item.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { findRuns } from '../../look/find-runs.js';
import { findItem } from '../find/find-item.js';
import { connectToLook } from '../server/connect.js';
import { askYesOrNo } from '../terminal/confirm.js';
import { type Context, lookPlaceOf, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { clean } from './clean.js';
import { decideTask, serverOf } from './task.js';

const NOTHING = 'Nothing was deleted.';

export interface DeleteOptions {
  readonly asked: string | null;
  readonly note?: string | undefined;
  /** Its branch and worktrees too. */
  readonly branch: boolean;
  readonly yes: boolean;
}

/** Errors: RefusedError where nobody can be asked, or the task runs. */
export async function deleteTask(context: Context, { asked, note, branch, yes }: DeleteOptions): Promise<ExitCode> {
  const { io, json } = context;
  const looked = await orAborted(lookAtTask(context, asked), io.stop, () => null);
  if (looked === null) return tellStopped(context, NOTHING);
  const { name, runs } = looked;
  if (!yes) {
    if (!io.interactive || json) throw new RefusedError(unconfirmed(name));
    const lost = branch ? 'What it committed and nobody merged is lost' : 'Its branch stays';
    const question = `Delete the task ${foreign(name)}? ${lost}.`;
    if (!(await askYesOrNo(question, { initial: false, left: NOTHING }))) {
      io.err(NOTHING);
      return EXIT.notStarted;
    }
  }
  const told = await decideTask(context, { name: 'remove', asked: name, note });
  if (told !== EXIT.done || !branch || runs.length === 0) return told;
  return clean(context, { runs, all: false, giveUp: true, yes: true, dryRun: false });
}

/** `runs`: those that left anything, the newest first, since that one has the branch. */
async function lookAtTask(context: Context, asked: string | null) {
  await using sluice = serverOf(await connectToLook(context));
  const { project, id, runs: count } = await findItem(context, sluice, { asked, states: ['parked'] });
  const known = new Set((await findRuns(lookPlaceOf(context), sluice)).map(({ runId }) => runId));
  const ids = Array.from({ length: count }, (_, n) => runIdOfItem({ project, id }, count - n));
  return { name: `${project}-${id}`, runs: ids.filter((runId) => known.has(runId)) };
}

function unconfirmed(name: string) {
  return {
    what: `nobody was asked whether the task ${foreign(name)} is to be deleted`,
    why: 'without a terminal that is said beforehand',
    now: 'Nothing was changed.',
    mend: 'sluice task delete <task> --yes',
  };
}

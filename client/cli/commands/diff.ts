/** `sluice diff`: base..branch as a patch. No pager, textconv or external diff program of the repository runs. */

import { RefusedError } from '../../../protocol/text/refusal.js';
import { type FoundRun, viewOf } from '../../look/find-runs.js';
import { diffBytes, diffStat, diffText } from '../../repository.js';
import { findRun } from '../find/find-run.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { showText } from '../terminal/pager.js';
import { paintPatch } from '../terminal/patch-colors.js';

export async function diff(
  context: Context,
  { asked, stat }: { readonly asked: string | null; readonly stat: boolean },
): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = await connectOrRead(context, 'the run is found by the run folders of the known repositories');
  const run = await findRun(context, sluice, asked);
  const view = await viewOf(run, sluice);
  const base = view?.baseSha ?? null;
  const head = view?.headSha ?? view?.branch ?? null;
  if (view === null || base === null || head === null)
    throw new RefusedError(nothingToShow(run, 'it has not opened yet'));
  const numbers = await diffStat(view.repo, base, head);
  if (numbers === null)
    throw new RefusedError(nothingToShow(run, `its commits are not in ${foreign(view.repo)} on this machine`));
  if (json)
    io.json({
      runId: run.runId,
      base,
      head,
      ...numbers,
      ...(stat ? {} : { patch: await diffText(view.repo, base, head) }),
    });
  else if (stat)
    io.out(`${numbers.files} files changed, ${numbers.insertions} insertions(+), ${numbers.deletions} deletions(-)`);
  else if (io.outIsTerminal) await showText(io, paintPatch((await diffText(view.repo, base, head)) ?? '', io.colors));
  // As it is, so that `git apply` takes it.
  else io.bytes((await diffBytes(view.repo, base, head)) ?? Buffer.alloc(0));
  return EXIT.done;
}

function nothingToShow(run: FoundRun, why: string) {
  return {
    what: `the run ${foreign(run.runId)} has no change that can be shown: ${why}`,
    why: 'a diff is taken between the base commit and the head of the run, in its repository on its host',
    now: `Its status is ${run.status ?? 'unknown'}.`,
    mend: `sluice status ${foreign(run.runId)}`,
  };
}

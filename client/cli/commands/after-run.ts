/** What comes after a run that was watched to its end: the landing that its policy asked for is followed, or a person who sits there is asked for one. */

import { landingId } from '../../../protocol/names.js';
import type { FoundRun } from '../../look/find-runs.js';
import type { Sluice } from '../../sluice.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { type StartedView, type WatchedEnd, watchToEnd } from '../watch/watch-started.js';

/** A run that was just started, watched to its end. Answers the exit code of the whole. */
export async function watchToLand(context: Context, started: StartedView): Promise<ExitCode> {
  return landAfterRun(context, started, { ...(await watchToEnd(context, started)), asks: true });
}

/** Answers the exit code of the whole. `asks`: whether somebody may be asked. */
export async function landAfterRun(
  context: Context,
  started: StartedView,
  { end, exitCode, asks }: WatchedEnd & { readonly asks: boolean },
): Promise<ExitCode> {
  if (end.kind === 'detached' || end.kind === 'server_away') return exitCode;
  const { io, json } = context;
  const followed = await followBegun(context, started.sluice, started);
  if (followed !== null) return followed;
  if (end.kind !== 'closed' || end.result.outcome !== 'merge_ready' || end.result.source === null) return exitCode;
  if (!asks || !io.interactive || json) return exitCode;
  const { askYesOrNo } = await import('../terminal/confirm.js');
  const question = `Land on ${foreign(end.result.source.base.branch)} now?`;
  const later = { left: 'Nothing was landed.', mend: `sluice land ${foreign(started.runId)}` };
  if (!(await askYesOrNo(question, { initial: true, ...later }))) return exitCode;
  const { landRuns } = await import('./land.js');
  return landRuns(context, started.sluice, { runs: [started], updateCheckout: true, wait: true });
}

/** The landing of a closed run, however that ended; null: nobody asked for one. */
export async function followBegun(
  context: Context,
  sluice: Sluice,
  run: Pick<FoundRun, 'runId' | 'workflowId' | 'repo'>,
): Promise<ExitCode | null> {
  // With its worker away it tells nothing of itself, and the server still knows that it is there.
  const known = await sluice.landing(run.runId).catch(() => sluice.describe(landingId(run.runId)).catch(() => null));
  if (known === null) return null;
  const { followRuns } = await import('./land.js');
  return followRuns(context, sluice, { runs: [run], updateCheckout: false, isLeft: true });
}

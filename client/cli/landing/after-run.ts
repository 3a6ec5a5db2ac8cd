/** What comes after a run that was watched to its end: the landing that its policy asked for is followed, or a person who sits there is asked for one. */
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import type { StartedView, WatchedEnd } from '../watch/watch-started.js';

/** Answers the exit code of the whole. `asks`: whether somebody may be asked. */
export async function landAfterRun(
  context: Context,
  started: StartedView,
  { end, exitCode, asks }: WatchedEnd & { readonly asks: boolean },
): Promise<ExitCode> {
  if (end.kind !== 'closed' || end.result.outcome !== 'merge_ready' || end.result.source === null) return exitCode;
  const { io, json } = context;
  const { sluice, runId } = started;
  const isBegun = (await sluice.landing(runId).catch(() => null)) !== null;
  if (!isBegun) {
    if (!asks || !io.interactive || json) return exitCode;
    const { askYesOrNo } = await import('../terminal/confirm.js');
    if (!(await askYesOrNo(`Land on ${foreign(end.result.source.base.branch)} now?`, true))) return exitCode;
  }
  const { followRuns, landRuns } = await import('../commands/land.js');
  return isBegun
    ? followRuns(context, sluice, { runs: [started], updateCheckout: false })
    : landRuns(context, sluice, { runs: [started], updateCheckout: true, wait: true });
}

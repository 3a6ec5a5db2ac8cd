/** What became of the heads of runs, beside the runs; and whose gate is meant where a run is closed. */
import type { LandingView } from '../../protocol/actors/landing.js';
import { landingId } from '../../protocol/names.js';
import type { ListedLanding } from '../calls/landing-calls.js';
import { isFromFiles, type ListedRun } from '../calls/listed-run.js';
import type { Sluice } from '../sluice.js';

/** Each with the newest landing of its head. */
export async function withLandings<Run extends ListedRun>(
  runs: readonly Run[],
  sluice: Pick<Sluice, 'landings'> | null,
): Promise<readonly Run[]> {
  return landedRuns(runs, sluice === null ? [] : await sluice.landings());
}

/** The same of landings that are known. Pure. */
export function landedRuns<Run extends ListedRun>(
  runs: readonly Run[],
  landings: readonly ListedLanding[],
): readonly Run[] {
  const byRun = new Map(
    landings.map(
      ({ runId, merge, base, entry, gate, paused, pull }) =>
        [runId, { merge, base, entry, gate, paused, pull }] as const,
    ),
  );
  return runs.map((run) => ({ ...run, landing: byRun.get(run.runId) ?? null }));
}

type Owned = Pick<ListedRun, 'runId' | 'workflowId' | 'closedAt' | 'execution'>;

/** The run itself, or the landing of a closed one where that waits at a gate: who takes a decision. */
export function gateOwnerOf<Run extends Owned>(run: Run, sluice: Pick<Sluice, 'landing'>): Promise<Run> {
  return landingInstead(run, sluice, ({ gate }) => gate !== null);
}

/** The same for what is said to the whole of it: the landing of a closed run, as long as it is open. */
export function liveOwnerOf<Run extends Owned>(run: Run, sluice: Pick<Sluice, 'landing'>): Promise<Run> {
  return landingInstead(run, sluice, ({ merge }) => merge !== 'merged' && merge !== 'abandoned');
}

async function landingInstead<Run extends Owned>(
  run: Run,
  sluice: Pick<Sluice, 'landing'>,
  takes: (landing: LandingView) => boolean,
): Promise<Run> {
  if (run.closedAt === null && !isFromFiles(run)) return run;
  const landing = await sluice.landing(run.runId).catch(() => null);
  return landing === null || !takes(landing) ? run : { ...run, workflowId: landingId(run.runId) };
}

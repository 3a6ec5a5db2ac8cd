/** What became of the heads of runs, beside the runs; and whose gate is meant where a run is closed. */
import { landingId } from '../../../protocol/names.js';
import type { ListedRun } from '../../calls/listed-run.js';
import type { Sluice } from '../../sluice.js';

/** Each with the newest landing of its head. */
export async function withLandings<Run extends ListedRun>(
  runs: readonly Run[],
  sluice: Pick<Sluice, 'landings'> | null,
): Promise<readonly Run[]> {
  const landings = sluice === null ? [] : await sluice.landings();
  const byRun = new Map(
    landings.map(({ runId, merge, base, entry, gate }) => [runId, { merge, base, entry, gate }] as const),
  );
  return runs.map((run) => ({ ...run, landing: byRun.get(run.runId) ?? null }));
}

/** The run itself, or the landing of a closed one where that waits at a gate: who takes a decision. */
export async function gateOwnerOf<Run extends Pick<ListedRun, 'runId' | 'workflowId' | 'closedAt'>>(
  run: Run,
  sluice: Pick<Sluice, 'landing'>,
): Promise<Run> {
  if (run.closedAt === null) return run;
  const landing = await sluice.landing(run.runId).catch(() => null);
  return landing === null || landing.gate === null ? run : { ...run, workflowId: landingId(run.runId) };
}

/** `sluice list`: the runs, newest first, from visibility or from the run folders when the engine is down. */

import { RefusedError } from '../../../protocol/text/refusal.js';
import type { ListedRun } from '../../calls/listed-run.js';
import type { Sluice } from '../../sluice.js';
import { withLandings } from '../find/find-landings.js';
import { findRuns } from '../find/find-run.js';
import { waitsForPerson } from '../find/meant-run.js';
import { renderTable } from '../find/run-table.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export interface ListOptions {
  readonly limit: string;
  /** Only what waits for a person. */
  readonly waiting: boolean;
}

export async function list(context: Context, { limit, waiting }: ListOptions): Promise<ExitCode> {
  const { io, json } = context;
  const count = readLimit(limit);
  await using sluice = await connectOrRead(context, 'these are the run folders of the known repositories');
  const found = await withLandings(await findRuns(context, sluice), sluice);
  const runs = await withRetries((waiting ? found.filter(waitsForPerson) : found).slice(0, count), sluice);
  if (json) {
    for (const run of runs) io.json(run);
    return EXIT.done;
  }
  if (runs.length > 0) io.out(renderTable(runs, io));
  else io.out(waiting ? NOBODY_WAITS : NO_RUNS);
  return EXIT.done;
}

const NO_RUNS = 'No runs yet. Start one with: sluice run "<task>"';
const NOBODY_WAITS = 'No run waits for a person.';

/** **Unit** runs: each is one question to the server. */
const ASKED_AT_MOST = 50;

async function withRetries<Run extends ListedRun>(
  runs: readonly Run[],
  sluice: Sluice | null,
): Promise<readonly Run[]> {
  if (sluice === null) return runs;
  const open = runs.filter((run) => run.execution === 'RUNNING').slice(0, ASKED_AT_MOST);
  const asked = new Map(
    await Promise.all(
      open.map(async ({ workflowId }) => [workflowId, await sluice.describe(workflowId).catch(() => null)] as const),
    ),
  );
  return runs.map((run) => ({ ...run, retrying: asked.get(run.workflowId)?.retrying ?? null }));
}

function readLimit(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new RefusedError({
    what: `--limit is ${foreign(text)}`,
    why: 'it must be an integer from 1',
    now: 'Nothing was changed.',
    mend: 'sluice list --limit 50',
  });
}

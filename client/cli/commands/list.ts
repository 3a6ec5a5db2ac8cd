/** `sluice list`: the runs, newest first, from visibility or from the run folders when the engine is down. */

import { parseDuration } from '../../../config/keys/duration.js';
import { messageOf } from '../../../config/system/error-code.js';
import type { ItemStateName } from '../../../protocol/actors/item.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { isFromFiles, type ListedRun } from '../../calls/listed-run.js';
import { withLandings } from '../../look/find-landings.js';
import { withMerged } from '../../look/find-merged.js';
import { type FoundRun, findRuns } from '../../look/find-runs.js';
import type { Sluice } from '../../sluice.js';
import { waitsForPerson } from '../../views/needs-person.js';
import { itemsHere } from '../find/find-item.js';
import { runsOfRepository } from '../find/find-run.js';
import { plainRows, renderRuns } from '../find/run-table.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { lookPlaceOf } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

export interface ListOptions {
  readonly limit: string;
  /** Only what waits for a person. */
  readonly waiting: boolean;
  /** Of every repository. */
  readonly all: boolean;
  /** Only those that are open. */
  readonly open: boolean;
  /** Only those that changed since: a duration, or a date. */
  readonly since?: string | undefined;
}

export async function list(context: Context, options: ListOptions): Promise<ExitCode> {
  const { io, json } = context;
  const count = readLimit(options.limit);
  const from = options.since === undefined ? null : readSince(options.since, Date.now());
  await using sluice = await connectOrRead(context, 'these are the run folders of the known repositories');
  const everywhere = await findRuns(lookPlaceOf(context), sluice);
  const here = options.all ? everywhere : await runsOfRepository(context, everywhere);
  const found = (await withLandings(here, sluice)).filter((run) => isListed(run, options, from));
  const runs = await withRetries(await withMerged(found.slice(0, count)), sluice);
  if (json) {
    for (const run of runs) io.json(run);
    return EXIT.done;
  }
  if (runs.length === 0) io.err(noneText(options, everywhere.length === 0));
  else if (io.outIsTerminal) io.out(renderRuns(runs, io));
  else for (const line of plainRows(runs)) io.out(line);
  await tellTasks(context, sluice, options);
  tellHidden(context, { listed: runs.length, fitting: found.length, elsewhere: everywhere.length - here.length });
  return EXIT.done;
}

/** Pure. `from`: ms since the epoch. */
export function isListed(run: FoundRun, { waiting, open }: Pick<ListOptions, 'waiting' | 'open'>, from: number | null) {
  if (waiting && !waitsForPerson(run)) return false;
  if (open && !isOpen(run)) return false;
  return from === null || Date.parse(run.since ?? run.startedAt) >= from;
}

/** Its landing counts: what is under way is not over. */
function isOpen(run: FoundRun): boolean {
  const { landing } = run;
  if (landing !== null) return landing.merge !== 'merged' && landing.merge !== 'abandoned';
  return run.closedAt === null && !isFromFiles(run);
}

function noneText({ waiting, open, since }: ListOptions, isEmpty: boolean): string {
  if (isEmpty) return 'No runs yet. Start one with: sluice run "<task>"';
  if (waiting) return 'No run waits for a person.';
  return open ? 'No run is open.' : `No run${since === undefined ? '' : ` since ${foreign(since)}`} here.`;
}

/** Those that have no run yet are in no list of runs. */
export async function tellTasks(
  context: Context,
  sluice: Pick<Sluice, 'items'> | null,
  { all }: Pick<ListOptions, 'all'>,
): Promise<void> {
  const { io } = context;
  if (sluice === null || !io.live) return;
  const items = await itemsHere(context, sluice, all).catch(messageOf);
  if (typeof items === 'string') return io.err(io.colors.dim(foreign(`(tasks that wait are not known: ${items})`)));
  const count = (state: ItemStateName) => items.filter((item) => item.state === state && item.closedAt === null).length;
  const [queued, gated] = [count('queued'), count('gated')];
  const words = [...(queued === 0 ? [] : [`${queued} queued`]), ...(gated === 0 ? [] : [`${gated} to approve`])];
  if (words.length > 0) io.err(io.colors.dim(`(tasks that wait: ${words.join(', ')}: sluice queue)`));
}

interface Hidden {
  readonly listed: number;
  readonly fitting: number;
  readonly elsewhere: number;
}

function tellHidden({ io }: Context, { listed, fitting, elsewhere }: Hidden): void {
  if (!io.live) return;
  const older = fitting - listed;
  if (older > 0) io.err(io.colors.dim(`(${older} more: sluice list --limit ${fitting})`));
  if (elsewhere > 0) io.err(io.colors.dim(`(${elsewhere} of other repositories: sluice list --all)`));
}

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

/** Answers ms since the epoch. Errors: RefusedError for what is neither a duration nor a date. */
export function readSince(text: string, now: number): number {
  const ago = parseDuration(text);
  if (ago !== null) return now - ago;
  const date = /^\d{4}-\d{2}-\d{2}/.test(text)
    ? new Date(text.length === 10 ? `${text}T00:00` : text).getTime()
    : Number.NaN;
  if (!Number.isNaN(date)) return date;
  throw new RefusedError({
    what: `--since is ${foreign(text)}`,
    why: 'it must be a duration, such as 2h or 7d, or a date',
    now: 'Nothing was changed.',
    mend: 'sluice list --since 7d',
  });
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

/** The run that a command means by `[run]`: one of those that there are, chosen by a person where several fit. */
import { messageOf } from '../../../config/system/error-code.js';
import { type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import { type FoundRun, findRuns } from '../../look/find-runs.js';
import { isOf, lookAtRepository } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { type Context, lookPlaceOf } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { chooseRun } from './choose-run.js';
import { itemsHere, named } from './find-item.js';
import { wordsOf } from './item-table.js';
import { LAST, pickRun } from './pick-run.js';

/** Without a name, or by `@last`: the newest of the repository that one stands in. Where it has none, no name means the newest of all, and `@last` none. Errors: RefusedError where none is meant, or several and nobody chooses. */
export async function findRun(context: Context, sluice: Sluice | null, asked: string | null): Promise<FoundRun> {
  const run = await findRunIfAny(context, sluice, asked);
  if (run !== null) return run;
  throw new RefusedError((await noRunOfTask(context, sluice, asked)) ?? noRun(asked, sluice !== null));
}

/** The same for a name that may be of something else: null where no run is meant. */
export async function findRunIfAny(
  context: Context,
  sluice: Sluice | null,
  asked: string | null,
): Promise<FoundRun | null> {
  const all = await findRuns(lookPlaceOf(context), sluice);
  const runs = await candidatesFor(context, asked, all);
  const pick = pickRun(asked, runs);
  switch (pick.kind) {
    case 'one':
      if ((asked === null || asked === LAST) && runs.length > 1) tellNewest(context, pick.run);
      return pick.run;
    case 'none':
      return null;
    case 'many':
      return chooseRun(
        context,
        `${pick.runs.length} runs have "${foreign(asked ?? '')}" in their id or title`,
        pick.runs,
      );
  }
}

/** What is removed, landed or stopped by `@last` is never of another repository. */
async function candidatesFor(
  context: Context,
  asked: string | null,
  all: readonly FoundRun[],
): Promise<readonly FoundRun[]> {
  if (asked === null) return runsHere(context, all);
  return asked === LAST ? runsOfRepository(context, all) : all;
}

/** Which one is shown, where nobody named it. */
export function tellNewest({ io, json }: Context, { runId, title }: FoundRun): void {
  if (io.live && !json)
    io.err(io.colors.dim(foreign(`(${runId}, the newest run here: ${title ?? 'without a title'})`)));
}

/** Without a name, the runs of the repository that one stands in, or all where it has none: for a command that removes, lands and starts nothing. */
export async function runsHere(context: Context, runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
  const ours = await runsOfRepository(context, runs);
  return ours.length === 0 ? runs : ours;
}

/** Those of the repository that one stands in; `runs` itself where one stands in none. */
export async function runsOfRepository({ io }: Context, runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
  const here = await lookAtRepository(io.cwd);
  return here.kind === 'ok' ? runs.filter(({ repo }) => isOf(here, repo)) : runs;
}

/** Null: no task is called so either, or nobody was asked. */
async function noRunOfTask(context: Context, sluice: Sluice | null, asked: string | null): Promise<Refusal | null> {
  if (sluice === null || asked === null) return null;
  const items = await itemsHere(context, sluice).catch(messageOf);
  if (typeof items === 'string') {
    const now = `Nothing was changed. Whether a task is called so is not known: ${foreign(items)}`;
    return { ...noRun(asked, true), now };
  }
  const [item] = named(items, asked);
  if (item === undefined || item.run !== null) return null;
  const name = foreign(`${item.project}-${item.id}`);
  return {
    what: `the task ${name} has no run${item.closedAt === null ? ' yet' : ''}: it is ${wordsOf(item)}`,
    why: item.closedAt === null ? 'a task of a backlog runs when its turn comes' : 'it was closed before it ran',
    now: 'Nothing was changed.',
    mend: `sluice task show ${foreign(item.id)}`,
  };
}

function noRun(asked: string | null, server: boolean): Refusal {
  const none = `there is no run${asked === LAST ? ' of this repository' : ''}`;
  return {
    what: asked === null || asked === LAST ? none : `no run has "${foreign(asked)}" in its id or title`,
    why: server
      ? 'runs are looked up on the server, and in the .sluice/runs folders of the known repositories'
      : 'the engine is down, so runs are looked up in the .sluice/runs folders of the known repositories',
    now: 'Nothing was changed.',
    mend: 'sluice list',
  };
}

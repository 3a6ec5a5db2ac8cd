/**
 * Which run a message means when none is named: the only one that the message could have an effect on. Runs of the repository that one
 * stands in come first and exclude others, so that nobody decides about a run elsewhere by leaving its name out.
 */

import { isTerminal } from '../../../protocol/run/lifecycle.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { isFromFiles, type ListedRun } from '../../calls/listed-run.js';
import { withLandings } from '../../look/find-landings.js';
import { type FoundRun, findRuns } from '../../look/find-runs.js';
import type { Sluice } from '../../sluice.js';
import type { Context } from '../terminal/context.js';
import { lookPlaceOf } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { chooseRun } from './choose-run.js';
import { findRun, runsHere } from './find-run.js';

/**
 * `gated`: it, or the landing of its head, has an open gate or question. `decision`, `answer`: the same, where a gate counts before a question or after it.
 * `paused`: it, or the landing of its head, is paused, or will be.
 */
export type Meant = 'gated' | 'decision' | 'answer' | 'paused' | 'open';

export interface MeantRun {
  readonly asked: string | null;
  readonly meant: Meant;
}

/** Errors: RefusedError where none or several can be meant. */
export async function findMeantRun(context: Context, sluice: Sluice, { asked, meant }: MeantRun): Promise<FoundRun> {
  if (asked !== null) return findRun(context, sluice, asked);
  const found = await findRuns(lookPlaceOf(context), sluice);
  const all = meant === 'open' ? found : await withLandings(found, sluice);
  const here = await runsHere(context, all);
  const runs = meant === 'paused' ? await pausedRuns(here, sluice) : meantRuns(here, meant);
  const [only] = runs;
  if (only === undefined) {
    const elsewhere = meantRuns(all, meant === 'paused' ? 'open' : meant);
    throw new RefusedError({
      what: `no run ${here === all ? '' : 'of this repository '}${SENTENCES[meant]}`,
      why: 'without a name the run is the only one that the command can be about',
      now:
        elsewhere.length === 0 || here === all
          ? 'Nothing was sent.'
          : `Nothing was sent. Elsewhere: ${foreign(elsewhere[0]?.runId ?? '')}`,
      mend: 'sluice list',
    });
  }
  if (runs.length > 1) return chooseRun(context, `${runs.length} runs can be meant: each ${SENTENCES[meant]}`, runs);
  return only;
}

const SENTENCES: Readonly<Record<Meant, string>> = {
  gated: 'has an open gate',
  decision: 'waits for a decision',
  answer: 'waits for an answer or a decision',
  paused: 'is paused or about to pause',
  open: 'is open',
};

/** Pure. Shape: in the order of `runs`. */
export function meantRuns<Run extends ListedRun>(runs: readonly Run[], meant: Meant): readonly Run[] {
  // What the server does not know takes no message.
  const open = runs.filter(
    (run) => run.closedAt === null && !isFromFiles(run) && (run.status === null || !isTerminal(run.status)),
  );
  const gated = runs.filter(
    (run) => (open.includes(run) && run.status === 'waiting_for_approval') || (run.landing?.gate ?? null) !== null,
  );
  switch (meant) {
    case 'open':
      return open;
    case 'paused':
      return runs.filter((run) => (open.includes(run) && run.status === 'paused') || run.landing?.paused === true);
    case 'gated':
      return gated;
    case 'decision':
      return preferred(gated, (run) => run.waiting !== 'answer');
    case 'answer':
      return preferred(gated, (run) => run.waiting === 'answer');
  }
}

function preferred<Run>(runs: readonly Run[], fits: (run: Run) => boolean): readonly Run[] {
  const fitting = runs.filter(fits);
  return fitting.length === 0 ? runs : fitting;
}

/** **Unit** runs: each is one question to a worker. */
const ASKED_AT_MOST = 20;

/** Visibility does not tell a pause that was only asked for. */
async function pausedRuns(runs: readonly FoundRun[], sluice: Sluice): Promise<readonly FoundRun[]> {
  const paused = meantRuns(runs, 'paused');
  if (paused.length > 0) return paused;
  const open = meantRuns(runs, 'open').slice(0, ASKED_AT_MOST);
  const views = await Promise.all(open.map((run) => sluice.status(run.workflowId).catch(() => null)));
  return open.filter((_, index) => views[index]?.pauseRequested === true);
}

/** Several runs can be meant: on a terminal a person chooses one, elsewhere they are named and none is taken. */
import { type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import type { ListedRun } from '../../calls/listed-run.js';
import { statusText } from '../../views/run-status.js';
import { chooseOne } from '../terminal/choose-one.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { isInsideTurn } from '../terminal/person.js';

const MAX_NAMED = 5;

/** Shape: `runs` in the order in which they are shown. Errors: RefusedError where nobody can choose, or nobody did. */
export async function chooseRun<Run extends ListedRun>(
  { io, json }: Context,
  what: string,
  runs: readonly Run[],
): Promise<Run> {
  if (!io.interactive || json || isInsideTurn(io.env)) throw new RefusedError(manyRuns(what, runs));
  const choices = runs.map((run) => ({
    value: run,
    label: foreign(`${run.runId}  ${statusText(run)}  ${run.title ?? ''}`),
  }));
  return chooseOne(`${what}: which one?`, choices);
}

function manyRuns(what: string, runs: readonly ListedRun[]): Refusal {
  const ids = runs.slice(0, MAX_NAMED).map((run) => foreign(run.runId));
  return {
    what,
    why: 'a run is named by a part of its id or title that no other has, the newest by @last',
    now: `They are: ${ids.join(', ')}${runs.length > MAX_NAMED ? ', …' : ''}`,
    mend: 'sluice list',
  };
}

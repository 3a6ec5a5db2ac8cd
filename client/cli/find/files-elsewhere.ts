/** What is said of a run whose folder is on another machine. */
import type { Refusal } from '../../../protocol/text/refusal.js';
import type { FoundRun } from '../../look/find-runs.js';
import { foreign } from '../terminal/io.js';

export function filesElsewhere({ runId, status }: Pick<FoundRun, 'runId' | 'status'>): Refusal {
  return {
    what: `the files of the run ${foreign(runId)} are not on this machine`,
    why: 'journal, agent output and what else a run left lie in its folder on the host of the run',
    now: `Its status is ${status ?? 'unknown'}.`,
    mend: `sluice status ${foreign(runId)}`,
  };
}

/** Asks a run for what is too much for its view: policy, budget and gates. Only the run itself knows them, so a worker must answer. */

import { messageOf } from '../../../config/system/error-code.js';
import type { DayBudgetView } from '../../../protocol/actors/day-budget.js';
import type { RunDetails } from '../../../protocol/messages/run-view.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { FoundRun } from '../../look/find-runs.js';
import type { Sluice } from '../../sluice.js';
import { findRun } from '../find/find-run.js';
import { connectToLook } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';

export interface AskedDetails {
  readonly run: FoundRun;
  readonly details: RunDetails;
  /** Null where the run has no such budget, or its ledger does not answer. */
  readonly day: DayBudgetView | null;
}

/** Errors: RefusedError where the engine is down, the run unknown, or nobody answers. */
export async function askDetails(
  context: Context,
  asked: string | null,
  command: 'policies' | 'budget',
): Promise<AskedDetails> {
  await using sluice = await connectToLook(context);
  const run = await findRun(context, sluice, asked);
  if (sluice === null) throw new RefusedError(engineDown(run, command));
  const details = await detailsOf(run, sluice);
  const { ledger } = details;
  const day = ledger === null || command !== 'budget' ? null : await sluice.dayBudget(ledger).catch(() => null);
  return { run, details, day };
}

async function detailsOf(run: FoundRun, sluice: Sluice): Promise<RunDetails> {
  try {
    return await sluice.details(run.workflowId);
  } catch (error) {
    throw new RefusedError({
      what: `the run ${foreign(run.runId)} does not answer: ${foreign(messageOf(error))}`,
      why: 'a run answers through a worker, as long as the server keeps it',
      now: `The server says: ${run.execution ?? 'nothing'}; nothing was changed.`,
      mend: 'sluice doctor    looks whether a worker polls',
    });
  }
}

function engineDown({ runId, status }: FoundRun, command: string) {
  return {
    what: `the engine is down, so the run ${foreign(runId)} cannot be asked`,
    why: 'policy and budget are answered by the run itself; its files do not hold them',
    now: `It last wrote: ${status ?? 'nothing'}.`,
    mend: `sluice up && sluice ${command} ${foreign(runId)}`,
  };
}

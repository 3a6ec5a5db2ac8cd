/** `sluice budget`: what a run used of its budget and what is left, failed attempts included; what each stage cost; and the day's budget of its project. */

import type { StageUse } from '../../../protocol/messages/stage-use.js';
import { budgetRows } from '../../../protocol/run/budget-limits.js';
import { stageCostLines } from '../../views/stage-costs.js';
import { dayRows, renderDay, rounded } from '../find/day-rows.js';
import { askDetails } from '../gates/ask-details.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

/** What an agent does not tell is not nothing. */
export function isTold(of: string, stages: readonly Pick<StageUse, 'costMicroUsd' | 'tokensIn'>[]): boolean {
  if (of === 'usd') return stages.length === 0 || stages.some(({ costMicroUsd }) => costMicroUsd !== null);
  return of !== 'tokens' || stages.length === 0 || stages.some(({ tokensIn }) => tokensIn !== null);
}

export async function budget(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  const { run, details, day } = await askDetails(context, asked, 'budget');
  const { policy, used, stages } = details;
  const dayLimits = policy?.budget.day ?? null;
  const rows = budgetRows(used, policy?.budget ?? null, used.grants);
  const onLimit = policy?.budget.onLimit ?? null;
  if (json) {
    const today = day === null || dayLimits === null ? null : { ...day, limits: dayRows(day, dayLimits) };
    io.json({ runId: run.runId, used, grants: used.grants, onLimit, limits: rows, stages, day: today });
    return EXIT.done;
  }
  for (const { of, used: spent, allowed, left } of rows) {
    const rest = allowed === null || left === null ? 'no limit' : `of ${rounded(allowed)}, ${rounded(left)} left`;
    io.out(`${of.padEnd(9)}${isTold(of, stages) ? `${rounded(spent)} used` : 'not told by the agents'}, ${rest}`);
  }
  if (used.grants > 0) io.out(`granted   ${used.grants} × again by a person`);
  for (const [index, line] of stageCostLines(stages).entries())
    io.out(`${(index === 0 ? 'cost' : '').padEnd(9)}${foreign(line)}`);
  if (dayLimits !== null && day !== null) for (const line of renderDay(day, dayLimits, Date.now())) io.out(line);
  else if (dayLimits !== null) io.out("the day's budget: its ledger does not answer; it begins with the first turn");
  if (rows.some(({ allowed }) => allowed !== null) || dayLimits !== null)
    io.out(`at its end the run ${onLimit === 'pause' ? 'waits at a gate' : 'ends blocked'}`);
  else if (policy === null) io.out(foreign(`${run.runId} is not open yet`));
  return EXIT.done;
}

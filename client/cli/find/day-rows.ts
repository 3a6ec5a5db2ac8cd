/** The day's part of `sluice budget`: what all runs of the project used today, and when a new day begins. Pure; foreign text leaves printable. */
import type { DayBudgetView } from '../../../protocol/actors/day-budget.js';
import { type BudgetRow, budgetRows } from '../../../protocol/run/budget-limits.js';
import type { DayBudgetPolicy } from '../../../protocol/run/policy.js';
import { elapsed } from '../../views/waiting-text.js';
import { foreign } from '../terminal/io.js';

/** Turns under way and what is expected of them are in it. */
export function dayRows({ settled, reserved, grants }: DayBudgetView, limits: DayBudgetPolicy): readonly BudgetRow[] {
  const used = {
    turns: settled.turns + reserved.turns,
    minutes: (settled.ms + reserved.ms) / 60_000,
    microUsd: settled.microUsd + reserved.microUsd,
    tokens: settled.tokens + reserved.tokens,
  };
  return budgetRows(used, limits, grants);
}

export function renderDay(view: DayBudgetView, limits: DayBudgetPolicy, now: number): readonly string[] {
  const { day, project, resetsAt, reserved, grants } = view;
  const left = elapsed(Date.parse(resetsAt) - now);
  return [
    `the day ${foreign(day)} (UTC) of ${foreign(project)}, all runs together; a new day begins in ${left}:`,
    ...dayRows(view, limits).map(({ of, used, allowed, left: rest }) => {
      const limit = allowed === null || rest === null ? 'no limit' : `of ${rounded(allowed)}, ${rounded(rest)} left`;
      return `  ${of.padEnd(9)}${rounded(used)} used, ${limit}`;
    }),
    ...(reserved.turns === 0
      ? []
      : [
          `  ${reserved.turns} ${reserved.turns === 1 ? 'turn' : 'turns'} under way, counted with what such turns used today`,
        ]),
    ...(grants === 0 ? [] : [`  granted ${grants} × again by a person`]),
  ];
}

export function rounded(value: number): string {
  return String(Math.round(value * 100) / 100);
}

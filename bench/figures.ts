/**
 * The figures that the bench prints, under the keys that others read, and the budget of each.
 * Source: docs/performance.md "Measured"; 130 at once by the measure of 100. A figure that was not measured is null.
 */
import { median } from './median.js';

/** Raw samples by figure, and some that explain one. Unit: milliseconds unless the name says otherwise. */
export type Samples = Record<string, number[]>;

export const FIGURES = [
  'worktreeAddMs',
  'emptyActivityMs',
  'agentMs',
  'runMs',
  'writeTurnMs',
  'otherTurnMs',
  'claudeTurnMs',
  'codexTurnMs',
  'opencodeTurnMs',
  'acpTurnMs',
  'cliMs',
  'concurrent10Ms',
  'concurrent100Ms',
  'concurrent130Ms',
  'spread100Ms',
  'processesRssMb',
  'processes130RssMb',
  'processesSpreadRssMb',
  'serverRssMb',
  'lostRuns',
  'fixRoundMs',
  'approveToNextTurnMs',
  'pauseMs',
  'steerMs',
  'abortMs',
  'abortToAbortedMs',
  'rounds20Events',
  'historyEvents',
  'actions',
  'killToAttendedMs',
  'heartbeatTimeoutMs',
  'agentStarts',
  'helpOverNodeMs',
  'slots',
] as const;

export type FigureName = (typeof FIGURES)[number];
export type Figures = Readonly<Record<FigureName, number | null>>;

export function figuresOf(samples: Samples): Figures {
  const named = FIGURES.map((name) => [name, rounded(median(samples[name] ?? []))] as const);
  // Every name of FIGURES is there.
  return Object.fromEntries(named) as Record<FigureName, number | null>;
}

export interface Judged {
  readonly name: FigureName;
  readonly measured: number;
  /** Null: a baseline, or a fact without a limit. */
  readonly budget: number | null;
}

/** What was measured beside its budget. A budget needs the baselines of the same run. */
export function judge(figures: Figures): readonly Judged[] {
  return FIGURES.flatMap((name) => {
    const measured = figures[name];
    return measured === null ? [] : [{ name, measured, budget: rounded(budgetOf(name, figures)) }];
  });
}

function budgetOf(name: FigureName, { worktreeAddMs, emptyActivityMs, heartbeatTimeoutMs }: Figures): number | null {
  const ofWorktrees = (count: number, rest: number) => (worktreeAddMs === null ? null : count * worktreeAddMs + rest);
  const ofActivities = (count: number, rest: number) =>
    emptyActivityMs === null ? null : count * emptyActivityMs + rest;
  switch (name) {
    case 'runMs':
      return sum(ofWorktrees(2, 0), ofActivities(9, 150));
    case 'writeTurnMs':
      return ofActivities(1, 45);
    case 'otherTurnMs':
      return ofActivities(1, 20);
    case 'claudeTurnMs':
    case 'codexTurnMs':
    case 'opencodeTurnMs':
    case 'acpTurnMs':
      return ofActivities(1, 60);
    case 'cliMs':
      return 1_000;
    case 'concurrent10Ms':
      return ofWorktrees(20, 1_500);
    case 'concurrent100Ms':
    case 'spread100Ms':
      return ofWorktrees(200, 21_000);
    case 'concurrent130Ms':
      return ofWorktrees(260, 27_300);
    case 'processesRssMb':
    case 'processes130RssMb':
    case 'processesSpreadRssMb':
      return 600;
    case 'lostRuns':
      return 0;
    case 'fixRoundMs':
      return ofActivities(3, 150);
    case 'approveToNextTurnMs':
    case 'pauseMs':
    case 'steerMs':
    case 'abortMs':
      return 100;
    case 'abortToAbortedMs':
      return 5_000;
    case 'rounds20Events':
      return 1_499;
    case 'historyEvents':
      return 80;
    case 'actions':
      return 26;
    case 'killToAttendedMs':
      return heartbeatTimeoutMs === null ? null : heartbeatTimeoutMs + 3_000;
    case 'agentStarts':
      return 1;
    case 'helpOverNodeMs':
      return 150;
    case 'worktreeAddMs':
    case 'emptyActivityMs':
    case 'agentMs':
    case 'heartbeatTimeoutMs':
    case 'serverRssMb':
    case 'slots':
      return null;
  }
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}

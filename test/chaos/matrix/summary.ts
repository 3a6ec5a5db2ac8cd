/** What a whole run of the matrix leaves for the docs: sums by fault, by stage and by failpoint; no times and no places of a machine. Pure. */
import { failpointsOf } from '../../../protocol/failpoints.js';
import type { BlackBoxRun } from './black-box.js';
import { FAULTS, type Fault } from './cells.js';
import type { DyingGit } from './dying-git.js';
import type { CellResult } from './trip-verdict.js';
import { COUNTS, type Counts } from './verdict.js';

export const RESULT_FILE = 'docs/kill-matrix.json';

export interface BlackBoxSummary {
  readonly runs: number;
  readonly strikes: BlackBoxRun['strikes'];
  readonly gitDeaths: ReturnType<DyingGit['deaths']>;
  readonly counts: readonly (Counts | null)[];
}

export interface Sums {
  /** Of those that fired. */
  readonly cells: number;
  readonly counts: Counts;
}

export interface KillMatrix {
  readonly faults: Readonly<Record<Fault, Sums>>;
  /** Cells of each stage, by fault. */
  readonly stages: Readonly<Record<string, Readonly<Record<Fault, number>>>>;
  /** Cells of each failpoint. */
  readonly failpoints: Readonly<Record<string, number>>;
  /** Names that no course passes. */
  readonly unreached: readonly string[];
  /** Cells whose point did not come by, or whose run could not be told. */
  readonly uncounted: number;
  readonly blackBox: Omit<BlackBoxSummary, 'counts'> & { readonly uncounted: number; readonly counts: Counts };
}

export function summaryOf(results: readonly CellResult[], { counts, ...blackBox }: BlackBoxSummary): KillMatrix {
  const counted = results.flatMap(({ cell, counts: of }) => (of === null ? [] : [{ cell, counts: of }]));
  const stages = [...new Set(counted.map(({ cell }) => cell.point.stage))];
  const names = [...new Set(counted.map(({ cell }) => cell.point.name))];
  const all = (fault: Fault) => counted.filter(({ cell }) => cell.fault === fault);
  const told = counts.filter((one) => one !== null);
  return {
    faults: perFault((fault) => ({ cells: all(fault).length, counts: sum(all(fault).map((one) => one.counts)) })),
    stages: Object.fromEntries(
      stages.map((stage) => [
        stage,
        perFault((fault) => all(fault).filter(({ cell }) => cell.point.stage === stage).length),
      ]),
    ),
    failpoints: Object.fromEntries(
      names.sort().map((name) => [name, counted.filter(({ cell }) => cell.point.name === name).length]),
    ),
    unreached: failpointsOf('run').filter((name) => !names.includes(name)),
    uncounted: results.length - counted.length,
    blackBox: { ...blackBox, uncounted: counts.length - told.length, counts: sum(told) },
  };
}

function perFault<T>(of: (fault: Fault) => T): Record<Fault, T> {
  // One entry for each fault.
  return Object.fromEntries(FAULTS.map((fault) => [fault, of(fault)])) as Record<Fault, T>;
}

function sum(counts: readonly Counts[]): Counts {
  // One entry for each count.
  return Object.fromEntries(
    COUNTS.map((name) => [name, counts.reduce((total, one) => total + one[name], 0)]),
  ) as Counts;
}

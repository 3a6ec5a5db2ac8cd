/** The steps of a plan as `sluice task show` prints them. Pure. Source: S-105, docs/requirements/skep.md "Formats". */
import { printable, printableLine } from '../text/printable.js';
import type { StepStatus } from './next-step.js';

export interface ShownStep {
  readonly seq: number;
  readonly status: StepStatus;
  readonly verb: string;
  readonly description: string;
  readonly targetFile: string | null;
  /** Its last one. */
  readonly commit: string | null;
  /** Unit: ms. Null: it never began. */
  readonly durationMs: number | null;
  readonly retryCount: number;
  /** The end of what its last try printed; shown where it failed. */
  readonly outputTail: string;
}

const GLYPHS: Readonly<Record<StepStatus, string>> = {
  done: '✓',
  failed: '✗',
  executing: '→',
  skipped: '·',
  pending: '○',
};

const INDENT = ' '.repeat(6);

/** A line a step, and the output of one that failed below it. Shape: nothing in it is taken for a line of the engine, for output alone is indented. */
export function showSteps(steps: readonly ShownStep[]): readonly string[] {
  return steps.flatMap((step) => [showStep(step), ...(step.status === 'failed' ? showOutput(step.outputTail) : [])]);
}

function showStep({ seq, status, verb, description, targetFile, ...ran }: ShownStep): string {
  const file = targetFile === null ? '' : ` → ${targetFile}`;
  const { commit, durationMs, retryCount } = ran;
  const parts = [
    `${GLYPHS[status]} ${seq}. [${verb}] ${description.replace(/\s+/g, ' ').trim()}${file}`,
    ...(commit === null ? [] : [`(commit ${commit.slice(0, 7)})`]),
    ...(durationMs === null ? [] : [`[${(durationMs / 1000).toFixed(1)}s]`]),
    ...(retryCount === 0 ? [] : [`[retries: ${retryCount}]`]),
  ];
  return printableLine(parts.join('  '));
}

function showOutput(tail: string): readonly string[] {
  const lines = printable(tail).trimEnd().split('\n');
  return lines.length === 1 && lines[0] === '' ? [] : lines.map((line) => `${INDENT}${line}`.trimEnd());
}

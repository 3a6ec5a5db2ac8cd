/** The steps of a plan: what one is, the order in which they run, and the text that stands for all of them. Pure. Source: S-34 to S-38, S-81. */
import { MAX_TITLE_CHARS } from '../limits.js';
import { cutText } from './agent-text.js';

export const STEP_VERBS = ['add', 'modify', 'delete', 'test', 'refactor', 'delegate', 'verify'] as const;
export type StepVerb = (typeof STEP_VERBS)[number];

export interface PlanStep {
  /** From 1, in the order of the plan: what a step is called everywhere. */
  readonly seq: number;
  readonly verb: StepVerb;
  /** Relative to the top of the repository; null where the step is about no file. */
  readonly targetFile: string | null;
  readonly symbols: readonly string[];
  readonly acceptance: string;
  /** Seqs, not the 0-based indexes of an agent's answer: rising, of earlier steps alone. */
  readonly dependsOn: readonly number[];
  readonly description: string;
}

/** Each step after those that it depends on; of those that may come next the first of the list. Errors: a plain one for steps that wait for each other or for none of the list, which no reader lets through. */
export function orderSteps(steps: readonly PlanStep[]): readonly PlanStep[] {
  const ordered: PlanStep[] = [];
  const placed = new Set<number>();
  while (ordered.length < steps.length) {
    const next = steps.find(({ seq, dependsOn }) => !placed.has(seq) && dependsOn.every((one) => placed.has(one)));
    if (next === undefined) throw new Error('steps of a plan wait for each other');
    ordered.push(next);
    placed.add(next.seq);
  }
  return ordered;
}

/** One text for all that a person approves, from which the hash of the plan is made (S-39). Shape: another text as soon as any field differs. The first line names the form, so that a later form has other hashes. */
export function canonicalPlan(steps: readonly PlanStep[]): string {
  const rows = steps.map(({ seq, verb, targetFile, symbols, acceptance, dependsOn, description }) =>
    JSON.stringify([seq, verb, targetFile, symbols, acceptance, dependsOn, description]),
  );
  return `${['plan 1', ...rows].join('\n')}\n`;
}

/** A task that only looks asks for an answer, not for commits (S-81). */
export function isReadOnlyPlan(steps: readonly PlanStep[]): boolean {
  return steps.length > 0 && steps.every(({ verb }) => verb === 'verify');
}

/** Instead of the hash of a plan: `oneStepPlan` of its text. */
export const ONE_STEP = 'one_step';

/** Where a plan failed and a person wants none (S-37). */
export function oneStepPlan(task: string): readonly PlanStep[] {
  const [firstLine = ''] = task.trim().split('\n');
  return [
    {
      seq: 1,
      verb: 'modify',
      targetFile: null,
      symbols: [],
      acceptance: task,
      dependsOn: [],
      description: cutText(firstLine.trim(), MAX_TITLE_CHARS),
    },
  ];
}

/** What a run's directory holds of its turns, oldest first. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRun } from './test-host.js';

/** The prompts of a stage's turns; those that ask for the decision alone included. */
export function promptsOf(run: TestRun, stage: string): readonly string[] {
  return turnNames(run, stage).map((name) => run.read(`turns/${name}/prompt.md`));
}

function turnNames(run: TestRun, stage: string): readonly string[] {
  return readdirSync(join(run.runDir, 'turns'))
    .filter((name) => name.endsWith(`-${stage}`))
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}

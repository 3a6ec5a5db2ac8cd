/** How far the steps of a task's plan are, from what its run tells of them in its folder. Only shown. Source: S-105. */
import { join } from 'node:path';
import { STEP_STATUSES } from '../../../protocol/admission/next-step.js';
import { type ShownStep, showSteps } from '../../../protocol/admission/show-steps.js';
import { isRecord, parseRecord } from '../../../protocol/text/json.js';
import { readRunFile } from '../../look/read-run-file.js';

/** `plan`: the hash of the one that is meant; null: whichever it has. None where the run has another, or what lies there is none of the engine's. */
export async function readShownSteps(runDir: string, plan: string | null): Promise<readonly string[]> {
  const told = parseRecord((await readRunFile(join(runDir, 'steps.json'))) ?? '');
  const steps = told?.['steps'];
  if (!Array.isArray(steps) || (plan !== null && told?.['plan'] !== plan)) return [];
  return showSteps(steps.flatMap(stepIn));
}

function stepIn(value: unknown): readonly ShownStep[] {
  if (!isRecord(value)) return [];
  const { seq, verb, description, retryCount, commits } = value;
  const status = STEP_STATUSES.find((known) => known === value['status']);
  const isStep = typeof seq === 'number' && typeof verb === 'string' && typeof description === 'string';
  if (status === undefined || !isStep) return [];
  return [
    {
      seq,
      status,
      verb,
      description,
      targetFile: textIn(value['targetFile']),
      commit: Array.isArray(commits) ? textIn(commits.at(-1)) : null,
      durationMs: typeof value['durationMs'] === 'number' ? value['durationMs'] : null,
      retryCount: typeof retryCount === 'number' ? retryCount : 0,
      outputTail: textIn(value['outputTail']) ?? '',
    },
  ];
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * The answer of a task whose plan only looks: what the agent said in each step, in the order of the steps, as a document of the run.
 * Source: S-81.
 */
import { log } from '@temporalio/activity';
import { messageOf } from '../../config/system/error-code.js';
import { isReadOnlyPlan } from '../../protocol/admission/plan-steps.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import { isShortage } from '../journal/go-on.js';
import type { HostDeps } from '../unit/host-deps.js';
import { artifactsOf, type ProjectionDeps, projectionOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import { readEntries, readGivenPlan } from './given-steps.js';
import { recordSteps, saidInStep } from './step-records.js';

const ANSWER_FILE = 'answer.md';

/**
 * Effects: one file of the run directory, and an artifact. Null: its plan changes something, a step of it is not done or said nothing, or it cannot be read any more. Errors: what passes with
 * time, such as a full disk.
 */
export async function writeAnswer(deps: HostDeps & ProjectionDeps, run: RunOnHost): Promise<ArtifactRef | null> {
  try {
    return await answerOf(deps, run);
  } catch (error) {
    if (isShortage(error)) throw error;
    log.warn('the answer of a run cannot be written', { runId: run.record.runId, error: messageOf(error) });
    return null;
  }
}

async function answerOf(deps: HostDeps & ProjectionDeps, run: RunOnHost): Promise<ArtifactRef | null> {
  if (run.record.input.item === undefined || run.record.policy.execute.until === 'once') return null;
  const plan = readGivenPlan(deps, run);
  if (plan === null || !isReadOnlyPlan(plan.steps)) return null;
  const entries = readEntries(run);
  const steps = recordSteps(plan, entries);
  if (steps.some(({ status }) => status !== 'done')) return null;
  const artifacts = artifactsOf(deps, run);
  const parts: string[] = [];
  for (const { seq, description } of steps) {
    const said = saidInStep(plan, entries, seq);
    if (said === null) return null;
    parts.push(`## ${seq}. ${description.replace(/\s+/g, ' ').trim()}\n\n${(await artifacts.get(said)).trim()}`);
  }
  const text = `${parts.join('\n\n')}\n`;
  await projectionOf(deps, run).page(ANSWER_FILE, text);
  return artifacts.put(text, 'text/markdown');
}

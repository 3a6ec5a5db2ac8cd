/** What the prompt of a step says beside that of its stage: which step, what came of the others, how its last try failed. Source: S-62 to S-64, S-71, S-84. */
import { orderSteps } from '../../protocol/admission/plan-steps.js';
import type { CommandOutput } from '../../protocol/messages/messages.js';
import type { StepOfTurn } from '../../protocol/messages/run-steps.js';
import type { StepPrompt } from '../agent/prompts/prompt-input.js';
import { readList } from '../journal/read-list.js';
import type { HostDeps } from '../unit/host-deps.js';
import { artifactsOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import type { StageEntry } from '../unit/stage-progress.js';
import { endOf } from './end-of-text.js';
import { readEntries } from './given-steps.js';
import { findStep, subjectOf } from './step-at-work.js';
import { findFailed, recordSteps, type StepRecord } from './step-records.js';

/** Unit: bytes of the end of what the last try printed. Source: S-71. */
const MAX_RETRY_BYTES = 2048;

export async function stepPromptOf(deps: HostDeps, run: RunOnHost, turn: StepOfTurn): Promise<StepPrompt> {
  const { plan, step } = findStep(deps, run, turn);
  const entries = readEntries(run);
  const records = recordSteps(plan, entries);
  const { policy, baseBranch } = run.record;
  const failed = turn.isRetry ? findFailed(plan, entries, turn) : null;
  return {
    step,
    subject: subjectOf(step),
    baseBranch,
    others: orderSteps(plan.steps).flatMap(({ seq }) => records.filter((record) => record.seq === seq)),
    checks: policy.checks.validation.commands,
    isResumed: !turn.isRetry && turn.attempt > 1,
    failed: failed === null ? null : await howFailed(deps, run, failed),
    made: leftBy(records.find(({ seq }) => seq === step.seq)),
  };
}

/** What its last try left: nothing, where it was not begun. */
function leftBy(record: StepRecord | undefined): StepPrompt['made'] {
  if (record?.headBefore == null) return null;
  return { since: record.headBefore, said: record.outputTail };
}

async function howFailed(deps: HostDeps, run: RunOnHost, { end }: StageEntry): Promise<StepPrompt['failed']> {
  if (end === null) return null;
  if (end.did !== undefined) {
    return { error: end.did.error ?? end.outcome, output: endOf(end.did.outputTail, MAX_RETRY_BYTES) };
  }
  const artifacts = artifactsOf(deps, run);
  // Whoever judged it by looking said why.
  if (end.commandOutput === null && end.output !== null)
    return { error: end.why ?? end.outcome, output: endOf(await artifacts.get(end.output), MAX_RETRY_BYTES) };
  const outputs = await readList<CommandOutput>(artifacts, end.commandOutput);
  const printed = outputs.map(({ command, text }) => `$ ${command}\n${text}`).join('\n');
  return { error: end.why ?? end.outcome, output: endOf(printed, MAX_RETRY_BYTES) };
}

/**
 * Runs the validation commands of trusted config on the commit, in a checkout of the engine's own.
 * Effects: one process a command, files below the sluice home and the run directory; the agent's worktree is not touched.
 * Idempotency: by place; each command has a sub-place, so a second attempt goes on at the first command without an exit.
 * Errors: BadRepository where git cannot give the commit to anybody.
 * Cancel: the running command is gone; its output stays.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endingWith } from '../../config/system/ending-signal.js';
import type { CommandCompletedData } from '../../protocol/messages/event-data.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { ValidateInput, ValidateResult } from '../../protocol/messages/messages.js';
import type { CommandResult } from '../../protocol/run/outcomes.js';
import { refusedHosts } from '../sandbox/refused-hosts.js';
import { keepDiffOfCheck, readDiff } from '../steps/keep-diff.js';
import { workOf } from '../steps/step-at-work.js';
import { tellSteps } from '../steps/tell-steps.js';
import { type AtPlace, atPlace } from '../unit/at-place.js';
import { flushJournal } from '../unit/flush-journal.js';
import type { HostDeps } from '../unit/host-deps.js';
import { artifactsOf } from '../unit/run-projection.js';
import { readRunToWrite } from '../unit/run-record.js';
import { redactorOf, toldWithoutValues } from '../unit/run-redactor.js';
import { keepingCheck, keepingValidation } from '../unit/stage-progress.js';
import { checkCommit } from './check-commit.js';
import { outcomeOfReport } from './classify-validation.js';
import { hashChecks } from './hash-checks.js';
import { leftObservations } from './own-commands.js';
import { publishValidation } from './publish-validation.js';
import { findingsOf, outputsOf } from './validation-findings.js';
import { validationImpossible } from './validation-trouble.js';

export function createValidate(deps: HostDeps): (input: ValidateInput) => Promise<ValidateResult> {
  return (input) =>
    atPlace(deps, {
      name: 'validate',
      input,
      find: () => readRunToWrite(deps.home, input.run),
      isSealed: false,
      work: (at) => endingWith(at.signals.cancel, () => validateAndNote(at, input)),
    });
}

async function validateAndNote(at: AtPlace, input: ValidateInput): Promise<ValidateResult> {
  const step = workOf('check', at.run, input.step);
  if (step === null) return keepingValidation(at, input, () => validate(at, input));
  const result = await keepingCheck(at, input, {
    step,
    validation: () => validate(at, input),
    diffOf: () => readDiff(at),
  });
  await tellSteps(at.deps, at.run);
  return result;
}

async function validate(context: AtPlace, input: ValidateInput): Promise<ValidateResult> {
  const { deps, run, place, signals } = context;
  const { policy } = run.record;
  const set = policy.checks[input.checks];
  const { baseFailures } = set;
  const journalSeq = await flushJournal(deps, run, input.journal);
  const checked = await checkCommit(context, input).catch((error: unknown) => {
    throw validationImpossible(run, input.commit, error) ?? error;
  });
  const checks = { ...checked, redactor: redactorOf(run) };
  const { report, ends } = checks;
  const findings = findingsOf(checks, baseFailures);
  // What a step is to mend is told its next try; no reviewer is meant.
  const shown = input.step === undefined ? findings : null;
  await publishValidation(deps, run, { report, ends, findings: shown, signals });
  const artifacts = artifactsOf(deps, run);
  const put = (value: unknown) => (value === null ? null : artifacts.putJson(value));
  const outcome = outcomeOfReport(report, baseFailures);
  if (input.step !== undefined && outcome.kind === 'failed') await keepDiffOfCheck(context, input.commit, input.step);
  return {
    outcome,
    summary: report.summary,
    tree: report.tree,
    checks: hashChecks(set, { hostId: deps.hostId, workplace: context.workplace }),
    report: await artifacts.putJson(report),
    observations: toldWithoutValues(run, [
      ...report.commands.map((command, index) => completed(command, input.round, ends[index]?.exit.endedAt)),
      ...refusedHosts(await commandFolders(place.dir), { what: 'validation', seq: input.place.seq }),
      ...leftObservations(place, { stage: input.stage, seq: input.place.seq }),
    ]),
    journalSeq,
    findings: await put(findings),
    output: await put(outputsOf(checks)),
  };
}

/** Of set-up, checks and what ran on the base: each at a sub-place of its own. */
async function commandFolders(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => /^\d+$/.test(name)).map((name) => join(dir, name));
}

function completed(command: CommandResult, round: number, endedAt: string | undefined): Observation {
  const data: CommandCompletedData = { ...command, round };
  return {
    timestamp: endedAt ?? new Date().toISOString(),
    type: 'validation.command.completed',
    message: `\`${command.command}\` ${command.status}${command.failedOnBase ? ' (red on the base too)' : ''}`,
    data,
  };
}

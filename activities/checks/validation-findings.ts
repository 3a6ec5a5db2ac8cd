/**
 * Red checks as findings, for the fixer and review.md (V-26), and what they printed, for prompts. Which checks count is what
 * `outcomeOfReport` says; this only names them.
 */

import type { CommandOutput } from '../../protocol/messages/messages.js';
import type { Finding } from '../../protocol/run/finding.js';
import { canFix } from '../../protocol/run/next-stage.js';
import type { CommandResult, ValidationReport } from '../../protocol/run/outcomes.js';
import type { Policy } from '../../protocol/run/policy.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import type { ExitRecord } from '../process/contract.js';
import { outcomeOfReport } from './classify-validation.js';
import { commandExcerpt } from './command-excerpt.js';

/** Of one command, in a finding; prompts get more. */
const MAX_EVIDENCE_BYTES = 4 * 1024;
const MAX_OUTPUT_BYTES = 16 * 1024;

type Printed = Pick<ExitRecord, 'stdout' | 'stderr'>;

export interface ValidatedChecks {
  readonly report: ValidationReport;
  /** In the order of the report's commands. */
  readonly ends: readonly { readonly exit: Printed }[];
  /** The set-up command that failed, so that no check could be run. */
  readonly failedSetup: { readonly line: string; readonly exit: Printed } | null;
  /** Tracked files that differ after the commands. */
  readonly changedFiles: readonly string[];
  /** Of the run. */
  readonly redactor: Redactor;
}

/** Null: nothing failed that counts. Shape: `V<round>-<n>`, n as in the names of the output files. */
export function findingsOf(checks: ValidatedChecks, baseFailures: 'fix' | 'ignore'): readonly Finding[] | null {
  const { report } = checks;
  if (outcomeOfReport(report, baseFailures).kind !== 'failed') return null;
  if (report.commands.length === 0) return [withoutChecks(checks)];
  const red = report.commands.flatMap((command, index) => {
    if (command.status !== 'failed' || (baseFailures === 'ignore' && command.failedOnBase)) return [];
    return [redCommand(checks, { command, index })];
  });
  return report.treeChanged ? [...red, changedTree(checks)] : red;
}

/** Null: every command passed. */
export function outputsOf({ report, ends, failedSetup, redactor }: ValidatedChecks): readonly CommandOutput[] | null {
  const excerptOf = (exit: Printed) => commandExcerpt(exit, { maxBytes: MAX_OUTPUT_BYTES, redactor });
  const outputs = report.commands.flatMap(({ command, status }, index) => {
    const end = ends[index];
    return status === 'passed' || end === undefined ? [] : [{ command, text: excerptOf(end.exit) }];
  });
  if (failedSetup !== null) outputs.push({ command: failedSetup.line, text: excerptOf(failedSetup.exit) });
  return outputs.length === 0 ? null : outputs;
}

/** Whether red checks are the review of the round, so that no reviewer is asked. Source: V-26, V-27. */
export function decidesReview(policy: Pick<Policy, 'checks' | 'rounds' | 'stages'>): boolean {
  return policy.checks.validation.onFailure === 'fix' && canFix(policy);
}

function redCommand(
  { report, ends, redactor }: ValidatedChecks,
  { command, index }: { command: CommandResult; index: number },
): Finding {
  const printed = ends[index];
  return {
    ...aFinding(`V${report.round}-${index + 1}`),
    claim: `\`${command.command}\` ${howItFailed(command)}`,
    evidence: [...excerpt(printed?.exit, redactor), `its whole output: ${command.stdoutPath}, ${command.stderrPath}`],
    recommendation: command.failedOnBase
      ? 'Make the command pass. It is red on the base commit too, so the change may not be the cause.'
      : 'Make the command pass without weakening what it checks.',
  };
}

function howItFailed({ exitCode, timedOut }: CommandResult): string {
  if (timedOut) return 'timed out';
  return exitCode === null || exitCode === 0 ? 'was ended before it was done' : `failed with exit code ${exitCode}`;
}

function changedTree({ report, changedFiles }: ValidatedChecks): Finding {
  const [only] = report.commands;
  const who = report.commands.length === 1 && only !== undefined ? `\`${only.command}\`` : 'a validation command';
  return {
    ...aFinding(`V${report.round}-${report.commands.length + 1}`),
    claim: `${who} changed tracked files`,
    evidence: changedFiles.length === 0 ? [report.note ?? 'tree_changed'] : changedFiles.slice(0, 20),
    recommendation: 'Commit what the command would write, or keep what it writes out of git.',
  };
}

function withoutChecks({ report, failedSetup, redactor }: ValidatedChecks): Finding {
  const why = report.note ?? 'the set-up failed';
  return {
    ...aFinding(`V${report.round}-1`),
    claim: `no check could be run: ${why}`,
    evidence: failedSetup === null ? [why] : [...excerpt(failedSetup.exit, redactor), why],
    recommendation:
      failedSetup === null
        ? 'Mend what the reason names, so that checks run on this commit.'
        : 'Make the set-up command pass.',
  };
}

function aFinding(id: string) {
  return { id, severity: 'high', category: 'correctness' } as const;
}

function excerpt(exit: Printed | undefined, redactor: Redactor): readonly string[] {
  const text = exit === undefined ? '' : commandExcerpt(exit, { maxBytes: MAX_EVIDENCE_BYTES, redactor });
  return [text === '' ? 'it printed nothing' : text];
}

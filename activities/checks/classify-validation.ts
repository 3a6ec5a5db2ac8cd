/** Pure reading of command ends: status of each, summary, outcome. Source: V-110, V-111. */
import type { CommandResult, CommandStatus, ValidationOutcome, ValidationReport } from '../../protocol/run/outcomes.js';
import type { ExitRecord } from '../process/contract.js';

/** POSIX shells answer 127 for a command that was not found. */
const COMMAND_NOT_FOUND = 127;

export function statusOfExit(exit: Pick<ExitRecord, 'reason' | 'exitCode'>): CommandStatus {
  if (exit.reason !== 'exited') return 'failed';
  if (exit.exitCode === 0) return 'passed';
  return exit.exitCode === COMMAND_NOT_FOUND ? 'environment' : 'failed';
}

export function summarize(commands: readonly CommandResult[]): ValidationReport['summary'] {
  const count = (status: CommandStatus) => commands.filter((command) => command.status === status).length;
  return {
    total: commands.length,
    passed: count('passed'),
    failed: count('failed'),
    environment: count('environment'),
  };
}

export function outcomeOfReport(report: ValidationReport, baseFailures: 'fix' | 'ignore'): ValidationOutcome {
  const { commands, summary } = report;
  if (commands.length === 0)
    return report.note === NO_COMMANDS
      ? { kind: 'no_commands' }
      : { kind: 'failed', why: report.note ?? 'set-up failed' };
  const red = commands.filter((command) => command.status === 'failed');
  const counted = baseFailures === 'ignore' ? red.filter((command) => !command.failedOnBase) : red;
  if (report.treeChanged) return { kind: 'failed', why: 'tree_changed: a validation command changed tracked files' };
  if (counted.length > 0) return { kind: 'failed', why: redSentence(counted) };
  if (summary.environment === commands.length) {
    return {
      kind: 'unavailable',
      why: `no validation command could run: ${commands.map((command) => command.command).join(', ')}`,
    };
  }
  if (red.length > 0) return { kind: 'base_failures_ignored' };
  return summary.environment > 0 ? { kind: 'partial' } : { kind: 'passed' };
}

export const NO_COMMANDS = 'no validation command is configured: no checks ran';

function redSentence(red: readonly CommandResult[]): string {
  const named = red.map(({ command, exitCode, timedOut, failedOnBase }) => {
    const how = timedOut ? 'timed out' : `exit ${exitCode ?? 'none'}`;
    return `\`${command}\` (${how}${failedOnBase ? ', red on the base too' : ''})`;
  });
  return `validation is red: ${named.join(', ')}; see validation.json`;
}

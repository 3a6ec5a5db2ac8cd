import { describe, expect, it } from '@jest/globals';
import {
  NO_COMMANDS,
  outcomeOfReport,
  statusOfExit,
  summarize,
} from '../../../activities/checks/classify-validation.js';
import type { CommandResult, CommandStatus, ValidationReport } from '../../../protocol/run/outcomes.js';

function command(status: CommandStatus, failedOnBase = false): CommandResult {
  return {
    command: status,
    exitCode: 1,
    status,
    timedOut: false,
    failedOnBase,
    durationMs: 1,
    stdoutPath: '',
    stderrPath: '',
  };
}

function report(commands: readonly CommandResult[], part: Partial<ValidationReport> = {}): ValidationReport {
  return {
    round: 0,
    commit: 'c',
    tree: 't',
    commands,
    summary: summarize(commands),
    treeChanged: false,
    note: null,
    ...part,
  };
}

describe('a command end', () => {
  it.each([
    ['exited', 0, 'passed'],
    ['exited', 1, 'failed'],
    ['exited', 127, 'environment'],
    ['exited', null, 'failed'],
    ['timed_out', 127, 'failed'],
    ['output_limit', 0, 'failed'],
  ] as const)('of reason %s and exit %s is %s', (reason, exitCode, status) => {
    expect(statusOfExit({ reason, exitCode })).toBe(status);
  });
});

describe('the outcome of a validation', () => {
  it.each([
    ['all green', report([command('passed')]), 'fix', 'passed'],
    ['no command configured', report([], { note: NO_COMMANDS }), 'fix', 'no_commands'],
    ['a set-up that failed', report([], { note: 'set-up command failed' }), 'fix', 'failed'],
    ['one red', report([command('passed'), command('failed')]), 'fix', 'failed'],
    ['red on the base too, counted', report([command('failed', true)]), 'fix', 'failed'],
    ['red on the base too, ignored', report([command('failed', true)]), 'ignore', 'base_failures_ignored'],
    ['one of two reds is new', report([command('failed', true), command('failed')]), 'ignore', 'failed'],
    ['nothing could run', report([command('environment')]), 'fix', 'unavailable'],
    ['some could not run', report([command('environment'), command('passed')]), 'fix', 'partial'],
    ['tracked files changed', report([command('passed')], { treeChanged: true }), 'ignore', 'failed'],
  ] as const)('with %s', (_name, given, baseFailures, kind) => {
    expect(outcomeOfReport(given, baseFailures).kind).toBe(kind);
  });
});

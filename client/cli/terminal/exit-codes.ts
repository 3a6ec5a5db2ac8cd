/**
 * The few exit codes of every command, and the sentence that each command's help says about them.
 * Source: docs/cli.md "Exit codes". A command documents exactly the codes that it can return.
 */
import type { RunOutcome } from '../../../protocol/run/outcomes.js';

export const EXIT = { done: 0, notStarted: 1, failed: 2, needsPerson: 3, detached: 130 } as const;

export type ExitName = keyof typeof EXIT;
export type ExitCode = (typeof EXIT)[ExitName];

const MEANINGS: Readonly<Record<ExitName, string>> = {
  done: 'done',
  notStarted: 'not started: wrong usage, config, server or worker not reachable',
  failed: 'the run failed',
  needsPerson: 'needs a person: the run is blocked or was aborted',
  detached: 'detached by Ctrl+C, SIGTERM or SIGHUP, or the server stayed away; a started run goes on',
};

/** Source: V-84. `no_changes` is shown as blocked (docs/requirements/vibestrate.md "Vocabulary"). */
export function exitCodeOf(outcome: RunOutcome): ExitCode {
  switch (outcome) {
    case 'merge_ready':
      return EXIT.done;
    case 'failed':
      return EXIT.failed;
    case 'blocked':
    case 'no_changes':
    case 'aborted':
      return EXIT.needsPerson;
  }
}

/** The "Exit codes" paragraph of a command's help. `special` replaces the general meaning where a command has a narrower one. */
export function exitHelp(names: readonly ExitName[], special: Partial<Record<ExitName, string>> = {}): string {
  const lines = names.map((name) => `  ${String(EXIT[name]).padEnd(4)} ${special[name] ?? MEANINGS[name]}`);
  return ['', 'Exit codes:', ...lines].join('\n');
}

/**
 * An error for a person, in four parts: what with the value and its place, why as a rule, what is true now, a command that mends it.
 * Every refusal of the CLI is one of these; anything else that reaches `main` is a defect and keeps its stack.
 */
import { EXIT, type ExitCode } from './exit-codes.js';

export interface ErrorParts {
  readonly what: string;
  readonly why: string;
  readonly now: string;
  readonly mend: string;
}

export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    readonly parts: ErrorParts,
    readonly exitCode: ExitCode = EXIT.notStarted,
  ) {
    super(parts.what);
  }
}

/** Two to four lines; empty parts are left out. The caller has made foreign text printable. */
export function formatError({ what, why, now, mend }: ErrorParts): string {
  return [`sluice: ${what}`, ...[why, now, mend].filter((part) => part !== '').map((part) => `  ${part}`)].join('\n');
}

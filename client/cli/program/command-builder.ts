/**
 * What every command is built with: --json, the sentence about its exit codes, and the host that runs its body.
 * Only commander is loaded here; a command's own module is loaded when it runs, so that help costs no more than it must.
 */
import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { type ExitCode, type ExitName, exitHelp } from '../exit-codes.js';

export type CommandBody = (context: Context) => Promise<ExitCode>;

export interface ProgramHost {
  /** Runs a command's body. `ownsStop`: it handles Ctrl+C itself. */
  start(body: CommandBody, options: { readonly json: boolean; readonly ownsStop: boolean }): Promise<void>;
  out(text: string): void;
  err(text: string): void;
  /** What stood behind `--`. */
  readonly behindDashes: readonly string[];
}

/** Exit codes of a command that only looks. */
export const LOOKING: readonly ExitName[] = ['done', 'notStarted', 'detached'];
/** Exit codes of a command that waits for a run to close. */
export const RUNNING: readonly ExitName[] = ['done', 'notStarted', 'failed', 'needsPerson', 'detached'];
export const INTERRUPTED = { detached: 'interrupted by Ctrl+C, SIGTERM or SIGHUP' };
export const RUN_HELP = '[run] is any part of an id that no other run has, or nothing when only one can be meant';

interface CommandText {
  readonly about: string;
  readonly exits: readonly ExitName[];
  /** Replaces the general meaning of a code. */
  readonly special?: Partial<Record<ExitName, string>>;
}

/** Every command has --json and names its exit codes. */
export function command(parent: Command, name: string, { about, exits, special = exits === LOOKING ? INTERRUPTED : {} }: CommandText) {
  return parent
    .command(name)
    .description(about)
    .option('--json', 'one JSON object a line; docs/cli.md describes them', false)
    .addHelpText('after', exitHelp(exits, special));
}

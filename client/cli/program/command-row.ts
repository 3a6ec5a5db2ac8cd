/**
 * A command of the program as one row: its name, its texts, what it takes, and its body. Every command has --json and names its exit codes.
 * Only commander is loaded here; a command's own module is loaded when it runs, so that help costs no more than it must.
 */
import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Context } from '../terminal/context.js';
import { type ExitCode, type ExitName, exitHelp } from '../terminal/exit-codes.js';
import { exampleHelp } from './examples.js';

export type CommandBody = (context: Context) => Promise<ExitCode>;

export interface ProgramHost {
  /** Runs a command's body. `ownsStop`: it handles Ctrl+C itself. */
  start(body: CommandBody, options: { readonly json: boolean; readonly ownsStop: boolean }): Promise<void>;
  out(text: string): void;
  /** Without a newline of its own. */
  write(text: string): void;
  err(text: string): void;
  /** What stood behind `--`. */
  readonly behindDashes: readonly string[];
}

/** Exit codes of a command that only looks. */
export const LOOKING: readonly ExitName[] = ['done', 'notStarted', 'detached'];
/** Exit codes of a command that waits for a run to close. */
export const RUNNING: readonly ExitName[] = ['done', 'notStarted', 'failed', 'needsPerson', 'detached'];
/** What `detached` means of a command that ends at once. */
export const INTERRUPTED = { detached: 'interrupted by Ctrl+C, SIGTERM or SIGHUP' };
const NAMED_RUN = '[run] is a part of an id or title that no other run has';
export const RUN_HELP = `${NAMED_RUN}; nothing, or @last, is the newest run of this repository`;
/** Of a message to a run. */
export const MEANT_RUN_HELP = `${NAMED_RUN}, or @last, the newest of this repository; nothing is the only one that this can be about`;
export const WATCHED_RUN_HELP = `${NAMED_RUN}, or @last, the newest of this repository; nothing is all that are open`;

/** What a body is called with. */
interface Call<Args extends readonly unknown[], Options> {
  readonly context: Context;
  /** As given; one that may be left out is undefined then. */
  readonly args: Args;
  readonly options: Options;
  /** What stood behind `--`. */
  readonly behindDashes: readonly string[];
}

type Plain = ReturnType<typeof plainCommand>;

interface CommandSpec<Args extends unknown[], Options extends OptionValues> {
  readonly about: string;
  readonly exits: readonly ExitName[];
  /** Replaces the general meaning of a code. */
  readonly special?: Partial<Record<ExitName, string>>;
  /** It handles Ctrl+C itself. */
  readonly ownsStop?: boolean;
  /** It takes a program behind `--`. For other commands what stands there is an argument like any other. */
  readonly takesProgram?: boolean;
  /** Adds its arguments and options. */
  readonly takes: (command: Plain) => Command<Args, Options>;
  readonly body: (call: Call<Args, Options>) => Promise<ExitCode>;
}

export interface CommandRow {
  /** Behind the name of its group where it has one: `quota list`. */
  readonly name: string;
  readonly about: string;
  readonly exits: readonly ExitName[];
  readonly takesProgram: boolean;
  /** `name`: without that of its group. */
  add(parent: Command, name: string, host: ProgramHost): void;
}

export function row<Args extends unknown[], Options extends OptionValues & { json: boolean }>(
  name: string,
  { about, exits, special, ownsStop = false, takesProgram = false, takes, body }: CommandSpec<Args, Options>,
): CommandRow {
  return {
    name,
    about,
    exits,
    takesProgram,
    add(parent, own, host) {
      const meanings = { ...(ownsStop ? {} : INTERRUPTED), ...special };
      const help = `${exampleHelp(name)}\n${exitHelp(exits, meanings)}`;
      const made = takes(plainCommand(parent.command(own).description(about), help));
      made.action(async () => {
        const options = made.opts();
        const { behindDashes } = host;
        const start: CommandBody = (context) => body({ context, args: made.processedArgs, options, behindDashes });
        await host.start(start, { json: options.json, ownsStop });
      });
    },
  };
}

function plainCommand(made: Command, help: string) {
  return made.option('--json', 'one JSON object a line; docs/cli.md describes them', false).addHelpText('after', help);
}

/** What may stand at the cursor of a line: commands, options, and what an argument or the value of an option can be. Pure. */
import type { Command, Option } from '@commander-js/extra-typings';
import { RUN_PARTS } from '../../look/part-names.js';

export interface Candidate {
  readonly word: string;
  /** One line. */
  readonly about: string;
}

/** What only the machine knows. Asked for where it is needed. */
export interface Sources {
  runs(): Promise<readonly Candidate[]>;
  configKeys(): Promise<readonly Candidate[]>;
}

/** `words`: behind the name of the program; the last is the one at the cursor, and may be empty. */
export async function findCandidates(
  program: Command,
  words: readonly string[],
  sources: Sources,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, rest } = commandOf(program, before);
  const candidates = await candidatesOf({ command, rest, current, sources });
  return candidates.filter(({ word }) => word.startsWith(current));
}

interface Cursor {
  readonly command: Command;
  /** What stands behind the command. */
  readonly rest: readonly string[];
  readonly current: string;
  readonly sources: Sources;
}

async function candidatesOf({ command, rest, current, sources }: Cursor): Promise<readonly Candidate[]> {
  if (rest.includes('--')) return [];
  const asked = takingValue(command, rest.at(-1));
  if (asked !== null) return (asked.argChoices ?? []).map((word) => ({ word, about: '' }));
  if (current.startsWith('-')) return optionsOf(command);
  if (command.commands.length > 0) return placesTaken(command, rest) === 0 ? commandsOf(command) : [];
  const places = placesTaken(command, rest);
  const argument = command.registeredArguments.at(places) ?? lastVariadic(command);
  if (argument === undefined) return [];
  const choices = (argument.argChoices ?? []).map((word) => ({ word, about: argument.description }));
  if (argument.name() === 'command' && command.parent !== null) return commandsOf(command.parent as Command);
  return [...choices, ...(await namesFor(argument.name(), sources))];
}

/** By what the argument is called in the help. */
async function namesFor(argument: string, sources: Sources): Promise<readonly Candidate[]> {
  if (argument === 'key') return sources.configKeys();
  if (argument === 'words') return [...RUN_PARTS.map((word) => ({ word, about: 'a part' })), ...(await sources.runs())];
  return /\brun\b/.test(argument) ? sources.runs() : [];
}

/** As far as the words name commands. */
function commandOf(program: Command, words: readonly string[]): { command: Command; rest: readonly string[] } {
  const [first = '', ...rest] = words;
  const found = program.commands.find((command) => command.name() === first);
  return found === undefined ? { command: program, rest: words } : commandOf(found as Command, rest);
}

function commandsOf(command: Command): readonly Candidate[] {
  const shown = command.createHelp().visibleCommands(command as never);
  return shown.map((sub) => ({ word: sub.name(), about: sub.description() }));
}

function optionsOf(command: Command): readonly Candidate[] {
  const shown: readonly Option[] = command.createHelp().visibleOptions(command as never);
  return shown.flatMap(({ long, description }) => (long == null ? [] : [{ word: long, about: description }]));
}

/** The option whose value stands at the cursor; null: none. */
function takingValue(command: Command, before: string | undefined): Option | null {
  if (before === undefined || !before.startsWith('-')) return null;
  const option: Option | undefined = command.options.find(({ short, long }) => before === short || before === long);
  return option !== undefined && (option.required || option.optional) ? option : null;
}

/** How many arguments stand there already. */
function placesTaken(command: Command, rest: readonly string[]): number {
  return rest.filter((word, index) => !word.startsWith('-') && takingValue(command, rest[index - 1]) === null).length;
}

function lastVariadic(command: Command) {
  const last = command.registeredArguments.at(-1);
  return last?.variadic === true ? last : undefined;
}

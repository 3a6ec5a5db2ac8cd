/** The program: its name, its commands by group, and how it answers wrong usage. Nothing but commander is loaded here. */
import { Command } from '@commander-js/extra-typings';
import { BACKLOG_COMMANDS } from './program/backlog-commands.js';
import { COMMAND_GROUPS, FAMILIES } from './program/command-groups.js';
import { type CommandRow, type ProgramHost, RUNNING } from './program/command-row.js';
import { CONFIG_COMMANDS } from './program/config-commands.js';
import { ENGINE_COMMANDS } from './program/engine-commands.js';
import { LANDING_COMMANDS } from './program/landing-commands.js';
import { LOOK_COMMANDS } from './program/look-commands.js';
import { PEOPLE_COMMANDS } from './program/people-commands.js';
import { QUOTA_COMMANDS } from './program/quota-commands.js';
import { RECORD_COMMANDS } from './program/record-commands.js';
import { RUN_COMMANDS } from './program/run-commands.js';
import { tellUnknownTopic, tellWrongUsage } from './program/wrong-usage.js';
import { exitHelp } from './terminal/exit-codes.js';

/** In the order of their page. */
export const COMMANDS: readonly CommandRow[] = [
  ...RUN_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...RECORD_COMMANDS,
  ...BACKLOG_COMMANDS,
  ...LANDING_COMMANDS,
  ...QUOTA_COMMANDS,
  ...LOOK_COMMANDS,
  ...ENGINE_COMMANDS,
  ...CONFIG_COMMANDS,
];

export function createProgram(host: ProgramHost) {
  const program = new Command('sluice')
    .description('Takes a coding task from a sentence to a merged change; every run is a durable Temporal workflow.')
    .version('0.1.0')
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => host.out(text.trimEnd()),
      writeErr: (text) => host.err(text.trimEnd()),
      outputError: (text, write) => write(tellWrongUsage(text)),
    })
    // What an option is by itself its text says.
    .configureHelp({ optionDescription: ({ description }) => description })
    .helpCommand(false)
    .exitOverride();
  for (const { title, commands } of COMMAND_GROUPS) {
    program.commandsGroup(`${title}:`);
    for (const name of commands) addCommand(program as Command, name, host);
  }
  program.commandsGroup('Help:');
  program
    .command('help [command...]')
    .description('what a command does and takes')
    .action((names) => helpOn(program as Command, names).help());
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words) => {
      const { completeLine } = await import('./complete/complete-line.js');
      host.write(await completeLine(program as Command, words, process.cwd()));
    });
  return program.addHelpText('after', exitHelp(RUNNING));
}

/** With all that begin with the same word. */
function addCommand(program: Command, name: string, host: ProgramHost): void {
  const about = FAMILIES.get(name);
  const parent = about === undefined ? program : (program.command(name).description(about) as Command);
  for (const row of COMMANDS) {
    const [first = '', own = first] = row.name.split(' ');
    if (first === name) row.add(parent, own, host);
  }
}

function helpOn(program: Command, names: readonly string[]): Command {
  return names.reduce((at: Command, name) => {
    const found = at.commands.find((command) => command.name() === name);
    if (found !== undefined) return found as Command;
    const topics = at.commands.map((command) => command.name());
    return at.error(tellUnknownTopic(name, topics), { code: 'commander.unknownCommand' });
  }, program);
}

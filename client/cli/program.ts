/** The program: its name, its commands by group, and how it answers wrong usage. Nothing but commander is loaded here. */
import { Command } from '@commander-js/extra-typings';
import { exitHelp } from './exit-codes.js';
import { type ProgramHost, RUNNING } from './program/command-builder.js';
import { addConfigCommands } from './program/config-commands.js';
import { addEngineCommands } from './program/engine-commands.js';
import { addLookCommands } from './program/look-commands.js';
import { addPeopleCommands } from './program/people-commands.js';
import { addQuotaCommands } from './program/quota-commands.js';
import { addRecordCommands } from './program/record-commands.js';
import { addRunCommands } from './program/run-commands.js';

export function createProgram(host: ProgramHost) {
  const program = new Command('sluice')
    .description('Takes a coding task from a sentence to a merged change; every run is a durable Temporal workflow.')
    .version('0.1.0')
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: (text) => host.out(text.trimEnd()), writeErr: (text) => host.err(text.trimEnd()) })
    .exitOverride();
  for (const add of [
    addRunCommands,
    addPeopleCommands,
    addRecordCommands,
    addQuotaCommands,
    addLookCommands,
    addEngineCommands,
    addConfigCommands,
  ])
    add(program as Command, host);
  return program.addHelpText('after', exitHelp(RUNNING));
}

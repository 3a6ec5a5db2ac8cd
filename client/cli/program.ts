/** The program: its name, its commands by group, and how it answers wrong usage. Nothing but commander is loaded here. */
import { Command } from '@commander-js/extra-typings';
import { type CommandRow, type ProgramHost, RUNNING } from './program/command-row.js';
import { CONFIG_COMMANDS } from './program/config-commands.js';
import { ENGINE_COMMANDS } from './program/engine-commands.js';
import { LANDING_COMMANDS } from './program/landing-commands.js';
import { LOOK_COMMANDS } from './program/look-commands.js';
import { PEOPLE_COMMANDS } from './program/people-commands.js';
import { QUOTA_COMMANDS } from './program/quota-commands.js';
import { RECORD_COMMANDS } from './program/record-commands.js';
import { RUN_COMMANDS } from './program/run-commands.js';
import { exitHelp } from './terminal/exit-codes.js';

/** In the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  ...RUN_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...RECORD_COMMANDS,
  ...LANDING_COMMANDS,
  ...QUOTA_COMMANDS,
  ...LOOK_COMMANDS,
  ...ENGINE_COMMANDS,
  ...CONFIG_COMMANDS,
];

/** What the commands of one first word are about. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['approvals', 'the gates of runs: list, show, decide'],
  ['landings', 'heads on their way to a base: list, drop, pause, resume'],
  ['quota', 'usage limits that runs wait for: list, open'],
]);

export function createProgram(host: ProgramHost) {
  const program = new Command('sluice')
    .description('Takes a coding task from a sentence to a merged change; every run is a durable Temporal workflow.')
    .version('0.1.0')
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: (text) => host.out(text.trimEnd()), writeErr: (text) => host.err(text.trimEnd()) })
    .exitOverride();
  const groups = new Map<string, Command>();
  for (const row of COMMANDS) {
    const [group = '', own] = row.name.split(' ');
    if (own === undefined) {
      row.add(program as Command, row.name, host);
      continue;
    }
    const parent = groups.get(group) ?? (program.command(group).description(GROUPS.get(group) ?? '') as Command);
    groups.set(group, parent);
    row.add(parent, own, host);
  }
  return program.addHelpText('after', exitHelp(RUNNING));
}

/** The commands about configuration, trust and the reference of statuses. Texts only: bodies lie in commands/. */
import { SHELLS } from '../complete/shells.js';
import { type CommandRow, LOOKING, row } from './command-row.js';

export const CONFIG_COMMANDS: readonly CommandRow[] = [
  row('config', {
    about: 'every effective value and where it comes from',
    exits: LOOKING,
    takes: (command) =>
      command
        .argument('[key]', 'only this key, or all that begin with it: gates')
        .option('--changed', 'only what a config or its preset says', false)
        .option('--repo <path>', 'the repository (default: where you are)'),
    body: async ({ context, args: [key = null], options }) =>
      (await import('../commands/config.js')).config(context, { ...options, key }),
  }),
  row('import skep', {
    about: "print the config that says what Skep's says; with --write, where there is none yet, keep it",
    exits: LOOKING,
    special: {
      done: 'printed, or written',
      notStarted: 'a file that cannot be read or is wrong, or a config is there',
    },
    takes: (command) =>
      command
        .option('--from <path>', "Skep's config (default: .skep/config.json of this repository)")
        .option('--write', 'as .sluice/config.yaml, where there is none; nobody trusts it by that', false),
    body: async ({ context, options }) => (await import('../commands/import-skep.js')).importSkep(context, options),
  }),
  row('trust', {
    about: "let this repository's config run programs on this machine",
    exits: LOOKING,
    takes: (command) =>
      command
        .option('--list', 'what is trusted', false)
        .option('--revoke', 'take the trust back', false)
        .option('--at <commit>', 'the config at a branch or commit, such as a base on which something lands')
        .option('--repo <path>', 'the repository (default: where you are)'),
    body: async ({ context, options }) => (await import('../commands/trust.js')).trust(context, options),
  }),
  row('completion', {
    about: 'the completion of a shell, for its start file',
    exits: ['done', 'notStarted'],
    takes: (command) => command.addArgument(command.createArgument('<shell>', 'which').choices(SHELLS)),
    body: async ({ context, args: [shell] }) => (await import('../commands/completion.js')).completion(context, shell),
  }),
  row('states', {
    about: 'the statuses of a run and their legal moves',
    exits: ['done'],
    takes: (command) => command,
    body: async ({ context }) => (await import('../commands/states.js')).states(context),
  }),
];

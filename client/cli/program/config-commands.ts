/** The commands about configuration, trust and the reference of statuses. Texts only: bodies lie in commands/. */
import { type CommandRow, LOOKING, row } from './command-row.js';

export const CONFIG_COMMANDS: readonly CommandRow[] = [
  row('config', {
    about: 'every effective value and where it comes from',
    exits: LOOKING,
    takes: (command) => command.option('--repo <path>', 'the repository (default: where you are)'),
    body: async ({ context, options }) => (await import('../commands/config.js')).config(context, options),
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
  row('states', {
    about: 'the statuses of a run and their legal moves',
    exits: ['done'],
    takes: (command) => command,
    body: async ({ context }) => (await import('../commands/states.js')).states(context),
  }),
];

/** The commands about configuration, trust and the reference of statuses. Texts only: bodies lie in commands/. */
import type { Command } from '@commander-js/extra-typings';
import { command, LOOKING, type ProgramHost } from './command-builder.js';

export function addConfigCommands(program: Command, host: ProgramHost): void {
  command(program, 'config', { about: 'every effective value and where it comes from', exits: LOOKING })
    .option('--repo <path>', 'the repository (default: where you are)')
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/config.js')).config(context, options), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'trust', { about: "let this repository's config run programs on this machine", exits: LOOKING })
    .option('--list', 'what is trusted', false)
    .option('--revoke', 'take the trust back', false)
    .option('--repo <path>', 'the repository (default: where you are)')
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/trust.js')).trust(context, options), { ...options, ownsStop: false });
    });
  command(program, 'states', { about: 'the statuses of a run and their legal moves', exits: ['done'] }).action(async (options) => {
    await host.start(async (context) => (await import('../commands/states.js')).states(context), { ...options, ownsStop: false });
  });
}

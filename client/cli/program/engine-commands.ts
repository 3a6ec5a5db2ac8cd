/** The commands about the local engine and its worker. Texts only: bodies lie in commands/. */
import type { Command } from '@commander-js/extra-typings';
import { command, INTERRUPTED, LOOKING, type ProgramHost } from './command-builder.js';

export function addEngineCommands(program: Command, host: ProgramHost): void {
  command(program, 'up', { about: 'start the local engine and say how to reach it', exits: LOOKING })
    .option('--ui', "also serve Temporal's Web UI", false)
    .option('--restart', 'a new worker process; running turns go on', false)
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/up.js')).up(context, options), { ...options, ownsStop: false });
    });
  command(program, 'down', { about: 'stop the local engine when no turn runs any more', exits: LOOKING })
    .option('--now', 'end running turns instead of waiting for them', false)
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/down.js')).down(context, options), { ...options, ownsStop: false });
    });
  command(program, 'worker', {
    about: 'a worker in the foreground for the server of TEMPORAL_ADDRESS',
    exits: LOOKING,
    special: {
      detached: 'stopped by Ctrl+C, SIGTERM or SIGHUP; running turns go on',
    },
  })
    .option('--repo <path...>', 'also serve the repository at this path')
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/worker.js')).worker(context, options), { ...options, ownsStop: true });
    });
  command(program, 'doctor', {
    about: 'look at everything that a run needs',
    exits: LOOKING,
    special: {
      ...INTERRUPTED,
      notStarted: 'something that a run needs is missing, or an agent that was called does not work',
    },
  })
    .option('--call [agent]', 'ask each agent that was found, or this one, one question: it may cost')
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/doctor.js')).doctor(context, options), {
        ...options,
        ownsStop: false,
      });
    });
}

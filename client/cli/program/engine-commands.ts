/** The commands about the local engine and its worker. Texts only: bodies lie in commands/. */
import { WEB_PORT } from '../../../protocol/names.js';
import { type CommandRow, LOOKING, row } from './command-row.js';

export const ENGINE_COMMANDS: readonly CommandRow[] = [
  row('up', {
    about: 'start the local engine and say how to reach it',
    exits: LOOKING,
    takes: (command) =>
      command
        .option('--ui', "also serve Temporal's Web UI", false)
        .option('--restart', 'a new worker process; running turns go on', false),
    body: async ({ context, options }) => (await import('../commands/up.js')).up(context, options),
  }),
  row('down', {
    about: 'stop the local engine when no turn runs any more',
    exits: LOOKING,
    takes: (command) => command.option('--now', 'end running turns instead of waiting for them', false),
    body: async ({ context, options }) => (await import('../commands/down.js')).down(context, options),
  }),
  row('web', {
    about: 'the page in your browser: what waits for you, every run live, decisions; until Ctrl+C',
    exits: ['notStarted', 'detached'],
    special: {
      notStarted: 'the address cannot be had, inside a turn, or wrong usage',
      detached: 'stopped by Ctrl+C, SIGTERM or SIGHUP; runs go on',
    },
    ownsStop: true,
    takes: (command) => command.option('--port <n>', 'where it listens, on a loopback address', String(WEB_PORT)),
    body: async ({ context, options }) => (await import('../commands/web.js')).web(context, options),
  }),
  row('worker', {
    about: 'a worker in the foreground for the server of TEMPORAL_ADDRESS',
    exits: LOOKING,
    special: { detached: 'stopped by Ctrl+C, SIGTERM or SIGHUP; running turns go on' },
    ownsStop: true,
    takes: (command) => command.option('--repo <path...>', 'also serve the repository at this path'),
    body: async ({ context, options }) => (await import('../commands/worker.js')).worker(context, options),
  }),
  row('doctor', {
    about: 'look at everything that a run needs',
    exits: LOOKING,
    special: { notStarted: 'something that a run needs is missing, or an agent that was called does not work' },
    takes: (command) =>
      command.option('--call [agent]', 'ask each agent that was found, or this one, one question: it may cost'),
    body: async ({ context, options }) => (await import('../commands/doctor.js')).doctor(context, options),
  }),
];

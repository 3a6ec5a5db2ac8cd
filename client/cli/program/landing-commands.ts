/** The commands that bring heads to their base. Texts only: bodies lie in commands/land.ts and commands/landings.ts. */
import { type CommandRow, INTERRUPTED, LOOKING, row } from './command-row.js';

const SENT = {
  done: 'taken, or queued: the server keeps it until a worker is back',
  notStarted: 'no such landing or queue, inside a turn, or server not reachable',
  needsPerson: 'refused: it has landed, or is over',
  ...INTERRUPTED,
};

const STEERED = 'the base, or the run whose landing is meant; nothing where only one queue is open';

export const LANDING_COMMANDS: readonly CommandRow[] = [
  row('land', {
    about: 'bring closed runs to their base branch: merged, checked as merged, once',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: {
      done: 'every run is merged, or with --no-wait was asked for',
      notStarted: 'nothing was sent: wrong usage, a run that is open, inside a turn, or server not reachable',
      needsPerson: 'a run waits for a person, or for the base to be free',
      detached: 'detached by Ctrl+C, SIGTERM or SIGHUP, or the server stayed away; what is queued lands',
    },
    ownsStop: true,
    takes: (command) =>
      command
        .argument('[run...]', 'the closed runs (default: the only one here that can land)')
        .option('--onto <branch>', 'land on this branch (default: the one that the run began at)')
        .option('--update-checkout', 'fast-forward the checkout of the base by your own git', false)
        .option('--no-wait', 'ask for it and return'),
    body: async ({ context, args: [runs], options }) =>
      (await import('../commands/land.js')).land(context, { ...options, runs }),
  }),
  row('landings list', {
    about: 'what lands, what waits for a person, and the merge queues',
    exits: LOOKING,
    takes: (command) => command,
    body: async ({ context }) => (await import('../commands/landings.js')).listLandings(context),
  }),
  row('landings drop', {
    about: 'give the head of a run up, unless it has landed by then',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) =>
      command
        .argument('<run>', 'the run; any part of its id that no other run has')
        .option('-m, --reason <text>', 'why, for whoever looks later'),
    body: async ({ context, args: [run], options }) =>
      (await import('../commands/landings.js')).dropLanding(context, { ...options, run }),
  }),
  row('landings pause', {
    about: 'nothing more lands on a base, or of one run, until it is resumed',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) => command.argument('[branch-or-run]', STEERED),
    body: async ({ context, args: [asked = null] }) =>
      (await import('../commands/landings.js')).steer(context, { name: 'pause', asked }),
  }),
  row('landings resume', {
    about: 'a paused merge queue, or the paused landing of a run, goes on',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) => command.argument('[branch-or-run]', STEERED),
    body: async ({ context, args: [asked = null] }) =>
      (await import('../commands/landings.js')).steer(context, { name: 'resume', asked }),
  }),
];
